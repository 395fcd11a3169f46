import type { Command } from 'commander'
import type { OperatorInvoice } from '../../contract/payments/invoice.ts'
import type { NamedPayment } from '../../store/payments/list-payments.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import { openTreasurer } from '../operator.ts'
import {
  byOption,
  jsonOption,
  pageOf,
  withPage,
  type ByOption,
  type JsonOption,
  type PageOptions,
} from '../options.ts'
import { printRecord, printTable, type Printable } from '../print.ts'

const COLUMNS = ['id', 'month', 'organization', 'state', 'amount', 'currency', 'due_at']

export function registerInvoice(program: Command): void {
  const invoice = program
    .command('invoice')
    .description('show and decide about unpaid invoices of postpaid organizations')
  withPage(invoice.command('list').description('list unpaid invoices, newest month first')).action(
    async (options: PageOptions) => {
      await using operator = await openTreasurer()
      const { listUnpaidInvoices } = await import('../../store/payments/invoices.ts')
      const rows = await listUnpaidInvoices(operator.database, pageOf(options))
      printTable(COLUMNS, rows.map(viewRow), options)
    },
  )
  registerDecision(invoice, 'mark-paid', 'note that an invoice was paid to your bank account')
  registerDecision(invoice, 'void', 'void an invoice; its amount is owed on the balance again')
  registerDecision(invoice, 'write-off', 'write off an invoice: its money is no longer expected')
}

type DecideOptions = JsonOption & ByOption & { readonly reason: string }

/** A console process tells the provider, which decides what becomes of it. */
function registerDecision(
  invoice: Command,
  name: 'mark-paid' | 'void' | 'write-off',
  description: string,
): void {
  invoice
    .command(`${name} <invoice>`)
    .description(`${description}; a console process tells the provider`)
    .requiredOption('--reason <text>', 'why, for the audit log')
    .addOption(byOption())
    .addOption(jsonOption())
    .action(async (id: string, options: DecideOptions) => {
      await using operator = await openTreasurer()
      const decisions = await import('../../platform/operator/payments/decide-invoice.ts')
      const decide = {
        'mark-paid': decisions.markInvoicePaid,
        void: decisions.voidInvoice,
        'write-off': decisions.writeOffInvoice,
      }[name]
      const { reason } = options
      printRecord(view(await operator.act(decide, { invoice: id, reason }, options)), options)
    })
}

function viewRow(row: NamedPayment): Printable {
  const { id, statement_month: month, slug, state, currency, issued_at, expires_at } = row
  return {
    id,
    month,
    organization: slug,
    state,
    amount: formatAmount(row.amount + (row.tax ?? 0)),
    currency,
    due_at: issued_at === null ? null : expires_at,
  }
}

function view(invoice: OperatorInvoice): Printable {
  const { id, month, organization_slug: organization, state, decided } = invoice
  return { id, month, organization, state, decided }
}
