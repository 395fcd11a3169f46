import { sql, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import { lockAccount } from '../tenants/accounts.ts'
import { raiseVersions, type RaisedVersion } from '../tenants/versions.ts'

type Joining = { readonly accountId: string; readonly organizationId: string }

/**
 * Takes an account off the waiting list because it joins an organization. Must come before the
 * membership: it locks the account for a change, and all its organizations with the new one in the
 * order of their ids. An account that does not wait any more stays as it is. Returns the versions
 * of the other organizations: the membership raises that of the new one.
 */
export async function activateInvited(
  transaction: Transaction<Tables>,
  { accountId, organizationId }: Joining,
): Promise<RaisedVersion[]> {
  await lockAccount(transaction, accountId, 'update')
  const memberships = await transaction
    .selectFrom('memberships')
    .select('organization_id')
    .where('account_id', '=', accountId)
    .execute()
  const known = memberships.map((membership) => membership.organization_id)
  const raised = await raiseVersions(transaction, [...known, organizationId])
  await transaction
    .updateTable('accounts')
    .set({
      state: 'active',
      by_invitation: true,
      email_verified_at: sql<Date>`coalesce(email_verified_at, now())`,
    })
    .where('id', '=', accountId)
    .where('state', '=', 'waiting')
    .execute()
  return raised.filter((each) => each.organizationId !== organizationId)
}
