import type { OperatorInvoice, OperatorInvoicesQuery } from '../../../contract/payments/invoice.ts'
import { listUnpaidInvoices } from '../../../store/payments/invoices.ts'
import type { NamedPayment } from '../../../store/payments/list-payments.ts'
import { viewAmountDue } from '../../payments/invoices/view-invoice.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'

/** Invoices of all organizations that nobody has paid, newest month first. */
export const listInvoices = defineRead(
  { action: 'invoice.list', permission: 'platform:read' },
  ({ database }, query: OperatorInvoicesQuery) =>
    readPage(
      query,
      (page) => listUnpaidInvoices(database, page),
      (row) => viewInvoice(row),
      ({ id }) => id,
    ),
)

export function viewInvoice(row: NamedPayment): OperatorInvoice {
  const { cancel, settle } = row
  return {
    id: row.id,
    organization_id: row.organization_id,
    organization_slug: row.slug,
    organization_name: row.name,
    month: row.statement_month ?? '',
    ...viewAmountDue(row, new Date()),
    decided: cancel ? 'void' : settle,
    failure: row.state === 'succeeded' ? null : row.failure,
    created_at: row.created_at.toISOString(),
  }
}
