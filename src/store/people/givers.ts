import { sql, type Kysely, type Transaction } from 'kysely'
import type { AccountState, MembershipState } from '../../tenancy/identity.ts'
import type { PlatformRole, Role } from '../../tenancy/role.ts'
import type { InvitationRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

// Who invited somebody: a member, a management key and with it the member who created it, or an
// operator who is no member.

export type Giver = {
  readonly accountState: AccountState
  /** Null if the account never was a member. */
  readonly membershipState: MembershipState | null
  readonly role: Role | null
  readonly platformRole: PlatformRole | null
  readonly keyRevoked: boolean
}

/** Who gives the role of an invitation, as they are now; undefined for the command line. */
export async function findGiver(
  database: Kysely<Tables>,
  invitation: Pick<InvitationRow, 'organization_id' | 'invited_by' | 'management_key_id'>,
): Promise<Giver | undefined> {
  const keyId = invitation.management_key_id
  if (invitation.invited_by === null && keyId === null) return undefined
  const row = await database
    .selectFrom('accounts')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.account_id', '=', 'accounts.id')
        .on('memberships.organization_id', '=', invitation.organization_id),
    )
    .leftJoin('management_keys', (join) => join.on('management_keys.id', '=', keyId))
    .select(['accounts.state', 'memberships.state as membership_state', 'memberships.role'])
    .select(['accounts.platform_role', 'management_keys.revoked_at'])
    .where((where) =>
      where(
        'accounts.id',
        '=',
        where.fn.coalesce(
          sql<string>`${invitation.invited_by}::uuid`,
          'management_keys.created_by',
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return {
    accountState: row.state,
    membershipState: row.membership_state,
    role: row.role,
    platformRole: row.platform_role,
    keyRevoked: row.revoked_at !== null,
  }
}

/**
 * Withdraws the open invitations into these roles that a member or a management key of theirs made.
 * Returns how many. The organization must be locked.
 */
export async function withdrawInvitationsOf(
  transaction: Transaction<Tables>,
  { organizationId, accountId }: { readonly organizationId: string; readonly accountId: string },
  roles: readonly Role[],
): Promise<number> {
  if (roles.length === 0) return 0
  const { numUpdatedRows } = await openInvitationsBy(transaction, accountId)
    .where('organization_id', '=', organizationId)
    .where('role', 'in', roles)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** The same in every organization, of somebody who is deleted. */
export async function withdrawAllInvitationsOf(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<void> {
  await openInvitationsBy(transaction, accountId).execute()
}

/** Withdraws those that somebody made as an operator, in every organization. Returns how many. */
export async function withdrawInvitationsOfOperator(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<number> {
  const { numUpdatedRows } = await openInvitations(transaction)
    .where('invited_by', '=', accountId)
    .where(sql<boolean>`by_operator`)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Withdraws those that operators made into an organization. Returns how many. */
export async function withdrawOperatorInvitationsInto(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<number> {
  const { numUpdatedRows } = await openInvitations(transaction)
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`by_operator`)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Those that an account, or a management key of theirs, made. */
function openInvitationsBy(transaction: Transaction<Tables>, accountId: string) {
  return openInvitations(transaction).where((where) =>
    where.or([
      where('invited_by', '=', accountId),
      where(
        'management_key_id',
        'in',
        where.selectFrom('management_keys').select('id').where('created_by', '=', accountId),
      ),
    ]),
  )
}

/** Withdraws the open invitations that a management key made. Returns how many. */
export async function withdrawInvitationsOfKey(
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId }: { id: string; organization_id: string | null },
): Promise<number> {
  if (organizationId === null) return 0
  const { numUpdatedRows } = await openInvitations(transaction)
    .where('organization_id', '=', organizationId)
    .where('management_key_id', '=', id)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

function openInvitations(transaction: Transaction<Tables>) {
  return transaction
    .updateTable('invitations')
    .set({ withdrawn_at: sql<Date>`now()` })
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
}
