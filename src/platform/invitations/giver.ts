import type { Kysely } from 'kysely'
import { findGiver } from '../../store/people/givers.ts'
import { hasAnotherOwner } from '../../store/people/members.ts'
import type { AuditChanges, InvitationRow } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { mayGiveRole } from '../../tenancy/permissions.ts'
import { ROLES, type Role } from '../../tenancy/role.ts'

/**
 * Whether the inviter, or the creator of the key that invited, may still give the role. Operators
 * give it only while the organization has no owner, apart from who joins.
 */
export async function isStillGiven(
  database: Kysely<Tables>,
  invitation: InvitationRow,
  joiningId: string | null,
): Promise<boolean> {
  const { organization_id: organizationId, by_operator: byOperator } = invitation
  if (byOperator && (await hasAnotherOwner(database, organizationId, joiningId))) return false
  const giver = await findGiver(database, invitation)
  if (giver === undefined) return true
  const { accountState, membershipState, role, platformRole, keyRevoked } = giver
  if (byOperator) return accountState === 'active' && platformRole === 'operator'
  if (accountState !== 'active' || membershipState !== 'active' || keyRevoked) return false
  return role !== null && mayGiveRole(role, invitation.role)
}

/** The roles that somebody with this role may not give. */
export function rolesNotGivenBy(role: Role): Role[] {
  return ROLES.filter((given) => !mayGiveRole(role, given))
}

/** For the audit event of the change that withdrew them. */
export function countWithdrawn(withdrawn: number): AuditChanges {
  return withdrawn > 0 ? { invitations_withdrawn: [null, withdrawn] } : {}
}
