import type { Transfer } from '../../contract/management/billing.ts'
import type { PageQuery } from '../../contract/management/schemas.ts'
import { listFundsChanges } from '../../store/ledger/double-entry.ts'
import type { TransferRow } from '../../store/postgres/tables.ts'
import { readPage } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** What has changed the balance, except usage, newest first. */
export const listTransfers = defineRead(
  { action: 'transfer.list', permission: 'billing:read' },
  ({ environment, database, access: { organization } }, query: PageQuery) =>
    readPage(
      query,
      (page) => listFundsChanges(database, organization.id, page),
      (row) => viewTransfer(row, environment.settings.currency),
      ({ id }) => id,
    ),
)

export function viewTransfer(row: TransferRow, currency: string): Transfer {
  // The other side may be the organization's as well: an invoice that is void is owed again.
  const taken = row.debit_account.startsWith('funds:')
  return {
    id: row.id,
    kind: row.kind,
    amount: viewMoney(taken ? -row.amount : row.amount, currency),
    reference: row.reference,
    reason: row.reason,
    made_by: row.made_by,
    made_at: row.made_at.toISOString(),
  }
}
