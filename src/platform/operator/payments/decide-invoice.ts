import type { Transaction } from 'kysely'
import { ApiError } from '../../../contract/error.ts'
import type { PaymentState } from '../../../contract/payments/payment-states.ts'
import type { InvoiceDecision, OperatorInvoice } from '../../../contract/payments/invoice.ts'
import { findInvoice } from '../../../store/payments/invoices.ts'
import { changePayment, lockPayment } from '../../../store/payments/payments.ts'
import { orderPaymentReading } from '../../../store/payments/payment-queue.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { notFound } from '../../use-case/authorize.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { viewInvoice } from './list-invoices.ts'

type Input = InvoiceDecision & { readonly invoice: string }
type Decision = 'paid' | 'void' | 'written_off'

/** The money came to our bank account. */
export const markInvoicePaid = decideBy('invoice.mark_paid', 'paid')

/** It was a mistake: what it asks for is on the balance again, and on the next invoice. */
export const voidInvoice = decideBy('invoice.void', 'void')

/** Nobody expects the money any more. If it comes all the same, it is taken. */
export const writeOffInvoice = decideBy('invoice.write_off', 'written_off')

/**
 * Notes what an operator decides about an unpaid invoice. A console process tells the provider
 * within a second, and what the provider says then decides: somebody may have paid meanwhile.
 */
function decideBy(action: string, decision: Decision) {
  return defineChange(
    { action, permission: 'platform:write', confirmed: true },
    async ({ transaction }, { invoice: id, reason }: Input) => {
      const before = await lockInvoice(transaction, id)
      const unchanged = decidedOf(before) === decision
      if (!unchanged) checkOpen(before, decision)
      const change = decision === 'void' ? { cancel: true } : { settle: decision }
      const row = unchanged ? before : await changePayment(transaction, before.id, change)
      if (!unchanged) await orderPaymentReading(transaction, row.id)
      return {
        value: await view(transaction, row),
        target: { kind: 'payment', id: row.id },
        organizationId: row.organization_id,
        changes: {
          month: [null, row.statement_month],
          amount: [null, viewMoney(row.amount + (row.tax ?? 0), row.currency)],
          reason: [null, reason],
        },
        unchanged,
      }
    },
  )
}

async function lockInvoice(transaction: Transaction<Tables>, id: string): Promise<PaymentRow> {
  const found = await findInvoice(transaction, id)
  if (found === undefined) throw notFound()
  return lockPayment(transaction, found)
}

const ENDS: Readonly<Partial<Record<PaymentState, Decision>>> = {
  succeeded: 'paid',
  expired: 'void',
  failed: 'written_off',
}

function decidedOf({ state, cancel, settle }: PaymentRow): Decision | null {
  return ENDS[state] ?? (cancel ? 'void' : settle)
}

function checkOpen(row: PaymentRow, decision: Decision): void {
  const decided = decidedOf(row)
  if (decided !== null)
    throw new ApiError('conflict', `This invoice is ${decided.replace('_', ' ')} already.`)
  if (row.state === 'attention')
    throw new ApiError('conflict', 'What the provider says contradicts it: decide that first.')
  if (row.issued_at === null && decision !== 'void')
    throw new ApiError('conflict', 'This invoice is not issued yet. It can only be made void.')
}

async function view(transaction: Transaction<Tables>, row: PaymentRow): Promise<OperatorInvoice> {
  const { slug, name } = await findOrganization(transaction, row.organization_id)
  return viewInvoice({ ...row, slug, name })
}
