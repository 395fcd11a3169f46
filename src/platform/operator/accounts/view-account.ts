import type { OperatorAccount } from '../../../contract/management/operator-account.ts'
import type { AccountRow } from '../../../store/postgres/tables.ts'

export function viewAccount(row: AccountRow): OperatorAccount {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    state: row.state,
    registered: row.registered_at !== null,
    email_verified: row.email_verified_at !== null,
    platform_role: row.platform_role,
    by_invitation: row.by_invitation,
    waiting_note: row.waiting_note,
    created_at: row.created_at.toISOString(),
  }
}
