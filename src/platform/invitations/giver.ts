import type { Kysely } from 'kysely'
import { findGiver } from '../../store/people/givers.ts'
import type { AuditChanges, InvitationRow } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { mayGiveRole } from '../../tenancy/permissions.ts'
import { ROLES, type Role } from '../../tenancy/role.ts'

/** Whether the inviter, or the creator of the key that invited, may still give the role. */
export async function isStillGiven(
  database: Kysely<Tables>,
  invitation: InvitationRow,
): Promise<boolean> {
  const giver = await findGiver(database, invitation)
  if (giver === undefined) return true
  const { accountState, membershipState, role, keyRevoked } = giver
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
