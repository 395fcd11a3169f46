import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** A sign-in writes an event for each of them, so there is a bound. */
const ORGANIZATIONS_MAX = 50

/**
 * The organizations whose owners and admins see that an account signs in or fails to: those that it
 * is a member of at that moment. Nobody is told of people who work for the whole service.
 */
export async function organizationsToTell(
  database: Kysely<Tables>,
  accountId: string,
): Promise<string[]> {
  const rows = await database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select('memberships.organization_id')
    .where('memberships.account_id', '=', accountId)
    .where('memberships.state', '=', 'active')
    .where('accounts.platform_role', 'is', null)
    .orderBy('memberships.organization_id')
    .limit(ORGANIZATIONS_MAX)
    .execute()
  return rows.map((row) => row.organization_id)
}
