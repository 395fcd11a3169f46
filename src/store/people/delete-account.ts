import { sql, type Transaction } from 'kysely'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { raiseVersions } from '../tenants/versions.ts'
import type { Changed } from '../tenants/changes.ts'
import { withdrawAllInvitationsOf } from './givers.ts'

/** Why keys of somebody who was deleted are revoked. */
const REASON = 'account deleted'

/** The name that stands for somebody who was deleted, wherever their address was. */
export function nameOfDeleted(id: string): string {
  return `deleted-${id.slice(-12)}`
}

export type OwnedAlone = { readonly slug: string }

/** Organizations whose only owner is this account. All of them must be locked. */
export async function listOwnedAlone(
  transaction: Transaction<Tables>,
  accountId: string,
  limit: number,
): Promise<OwnedAlone[]> {
  return transaction
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select('organizations.slug')
    .where('memberships.account_id', '=', accountId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.state', '=', 'active')
    .where('organizations.deleted_at', 'is', null)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('memberships as others')
            .select('others.account_id')
            .whereRef('others.organization_id', '=', 'memberships.organization_id')
            .where('others.role', '=', 'owner')
            .where('others.state', '=', 'active')
            .where('others.account_id', '<>', accountId),
        ),
      ),
    )
    .orderBy('organizations.slug')
    .limit(limit)
    .execute()
}

/**
 * Locks every organization that an account was ever a member of, and raises their versions. Returns
 * those that it is a member of now. The account must be locked.
 */
export async function lockOrganizationsOf(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<Changed<string[]>> {
  const rows = await transaction
    .selectFrom('memberships')
    .select(['organization_id', 'state'])
    .where('account_id', '=', accountId)
    .execute()
  const raised = await raiseVersions(
    transaction,
    rows.map(({ organization_id: id }) => id),
  )
  const active = rows.filter(({ state }) => state === 'active')
  return { value: active.map(({ organization_id: id }) => id), raised }
}

/**
 * Makes an account nameless and takes every right from it. The row stays, restricted, for what
 * refers to its id. Its organizations must be locked.
 */
export async function deleteAccount(
  transaction: Transaction<Tables>,
  { id, email }: Pick<AccountRow, 'id' | 'email'>,
): Promise<void> {
  await transaction
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('account_id', '=', id)
    .execute()
  await revokeKeys(transaction, id)
  await withdrawAllInvitationsOf(transaction, id)
  await transaction.deleteFrom('request_links').where('created_by', '=', id).execute()
  await transaction
    .updateTable('accounts')
    .set({
      email: `${nameOfDeleted(id)}@deleted.invalid`,
      name: null,
      language: null,
      waiting_note: null,
      email_verified_at: null,
      platform_role: null,
      state: 'restricted',
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
  await sql`select forget_person(${id}, ${nameOfDeleted(id)}, ${email})`.execute(transaction)
}

async function revokeKeys(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  // Locked in the order of their ids, as the times of their last use are written.
  await transaction
    .selectFrom('api_keys')
    .select('id')
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await transaction
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()`, revoke_reason: REASON })
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute()
  await transaction
    .updateTable('management_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .execute()
}
