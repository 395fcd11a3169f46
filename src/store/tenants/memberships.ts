import type { Kysely } from 'kysely'
import type { MembershipState } from '../../tenancy/identity.ts'
import type { Role } from '../../tenancy/role.ts'
import { lockAccount } from './accounts.ts'
import { ChangeRefused, type Changed } from './changes.ts'
import type { Page } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from './versions.ts'

export type Member = {
  readonly account_id: string
  readonly email: string
  readonly role: Role
  readonly state: MembershipState
}

type MembershipId = { readonly organizationId: string; readonly accountId: string }

/** Also reactivates a removed member. */
export async function addMember(
  database: Kysely<Tables>,
  { organizationId, accountId }: MembershipId,
  role: Role,
): Promise<Changed<{ role: Role; state: MembershipState }>> {
  return withinTransaction(database, async (transaction) => {
    await lockAccount(transaction, accountId, 'share')
    const raised = await raiseVersions(transaction, [organizationId])
    const value = await transaction
      .insertInto('memberships')
      .values({ organization_id: organizationId, account_id: accountId, role })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'account_id'])
          .doUpdateSet({ role, state: 'active' as const })
          .where('memberships.state', '=', 'removed'),
      )
      .returning(['role', 'state'])
      .executeTakeFirst()
    if (value === undefined)
      throw new ChangeRefused('the account is already a member', { kind: 'already_exists' })
    return { value, raised }
  })
}

/**
 * Removing keeps the row: see the table's comment. It ends the member's links to requests for good,
 * also if they come back. The operator may leave an organization without an owner.
 */
export async function changeMember(
  database: Kysely<Tables>,
  { organizationId, accountId }: MembershipId,
  changes: { readonly role: Role } | { readonly state: 'removed' },
): Promise<Changed<{ role: Role; state: MembershipState }>> {
  return withinTransaction(database, async (transaction) => {
    const raised = await raiseVersions(transaction, [organizationId])
    const value = await transaction
      .updateTable('memberships')
      .set(changes)
      .where('organization_id', '=', organizationId)
      .where('account_id', '=', accountId)
      .$if('role' in changes, (query) => query.where('state', '=', 'active'))
      .returning(['role', 'state'])
      .executeTakeFirst()
    if (value === undefined)
      throw new ChangeRefused('the account is not a member', { kind: 'not_found' })
    if ('state' in changes)
      await transaction
        .deleteFrom('request_links')
        .where('organization_id', '=', organizationId)
        .where('created_by', '=', accountId)
        .execute()
    return { value, raised }
  })
}

export async function listMembers(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<Member[]> {
  return database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['memberships.account_id', 'accounts.email', 'memberships.role', 'memberships.state'])
    .where('memberships.organization_id', '=', organizationId)
    .$if(page.after !== undefined, (query) =>
      query.where('memberships.account_id', '>', page.after ?? ''),
    )
    .orderBy('memberships.account_id')
    .limit(page.limit)
    .execute()
}
