import type { Statement, Statements } from '../../contract/management/statement.ts'
import { DAY_MS } from '../../lib/time.ts'
import { listStatements as readStatements } from '../../store/ledger/statements.ts'
import { invoicesOf } from '../../store/payments/invoices.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import { isUnpaidInvoice } from '../payments/invoices/learn-invoice.ts'
import { viewAmountDue } from '../payments/invoices/view-invoice.ts'
import { mayPay } from '../payments/view-payment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** What was used in each month that is over, newest first, and the invoices for it. */
export const listStatements = defineRead(
  { action: 'statement.list', permission: 'billing:read' },
  async ({ environment, database, access }): Promise<Statements> => {
    const { organization } = access
    const { currency, payments } = environment.settings
    const statements = await readStatements(database, organization.id)
    // Without payments there is nothing of them.
    const invoices = payments === undefined ? NONE : await invoicesOf(database, organization.id)
    const terms = { stopDays: payments?.overdue_stop_days ?? 0, withPage: mayPay(access) }
    return {
      data: statements.map((statement): Statement => ({
        month: statement.month,
        requests: statement.requests,
        prompt_tokens: statement.promptTokens,
        cached_tokens: statement.cachedTokens,
        completion_tokens: statement.completionTokens,
        reasoning_tokens: statement.reasoningTokens,
        cost: viewMoney(statement.cost, currency),
        issued_at: statement.issuedAt.toISOString(),
        ...viewDue(invoices.get(statement.month), terms),
      })),
    }
  },
)

const NONE: ReadonlyMap<string, PaymentRow> = new Map()

type Due = Pick<Statement, 'state' | 'amount_due' | 'tax' | 'total' | 'due_at' | 'stops_at' | 'url'>
type Terms = { readonly stopDays: number; readonly withPage: boolean }

function viewDue(invoice: PaymentRow | undefined, { stopDays, withPage }: Terms): Due {
  if (invoice === undefined) {
    const nothing = { amount_due: null, tax: null, total: null, due_at: null }
    return { state: 'closed', ...nothing, stops_at: null, url: null }
  }
  const waits = invoice.issued_at !== null && isUnpaidInvoice(invoice)
  const stopsAt = new Date(invoice.expires_at.getTime() + stopDays * DAY_MS)
  return {
    ...viewAmountDue(invoice, new Date()),
    stops_at: waits ? stopsAt.toISOString() : null,
    url: waits && withPage && !invoice.cancel ? invoice.url : null,
  }
}
