import type { Transaction } from 'kysely'
import { withdrawInvitationsOf } from '../../store/people/givers.ts'
import { findMember } from '../../store/people/members.ts'
import { listGivenRoles } from '../../store/people/scim-groups.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { changeMember } from '../../store/tenants/memberships.ts'
import type { RaisedVersion } from '../../store/tenants/versions.ts'
import { ROLES, type Role } from '../../tenancy/role.ts'
import { rolesNotGivenBy } from '../invitations/giver.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { checkOwnerEnters, type Provisioned, type Provisioning } from './scim-membership.ts'

/** The role of members to whom no group gives another. */
export const ROLE_WITHOUT_GROUP: Role = 'member'

export type GivenRoles = ReadonlyMap<string, Role>

/** The highest role that groups give to each account that they give one to. */
export async function readGivenRoles(
  transaction: Transaction<Tables>,
  organizationId: string,
  accountIds: readonly string[] | 'all',
): Promise<GivenRoles> {
  const given = new Map<string, Role>()
  for (const { accountId, role } of await listGivenRoles(transaction, organizationId, accountIds)) {
    const known = given.get(accountId)
    if (known === undefined || ROLES.indexOf(role) < ROLES.indexOf(known))
      given.set(accountId, role)
  }
  return given
}

/**
 * Gives members the roles that groups give them now, and takes those that groups gave before. Roles
 * of members whom no such group concerns stay as an owner set them. The organization must be
 * locked.
 */
export async function applyGivenRoles(
  provisioning: Provisioning,
  before: GivenRoles,
  after: GivenRoles,
): Promise<Provisioned> {
  // Who becomes an owner comes first, so that the one before may go.
  const isOwner = (accountId: string) => after.get(accountId) === 'owner'
  const all = [...new Set([...before.keys(), ...after.keys()])]
  const concerned = [...all.filter(isOwner), ...all.filter((each) => !isOwner(each))]
  const raised: RaisedVersion[] = []
  const from: Record<string, Role> = {}
  const to: Record<string, Role> = {}
  for (const accountId of concerned) {
    if (before.get(accountId) === after.get(accountId)) continue
    const role = after.get(accountId) ?? ROLE_WITHOUT_GROUP
    const changed = await changeRole(provisioning, accountId, role)
    if (changed === undefined) continue
    raised.push(...changed.raised)
    from[changed.email] = changed.from
    to[changed.email] = role
  }
  return { changes: raised.length === 0 ? {} : { roles: [from, to] }, raised: raised.slice(-1) }
}

/** Undefined if the account is no member now, or has the role. */
async function changeRole(
  { environment, transaction, organizationId }: Provisioning,
  accountId: string,
  role: Role,
) {
  const member = await findMember(transaction, organizationId, accountId)
  if (member === undefined || member.state === 'removed' || member.role === role) return undefined
  if (member.role === 'owner') await checkOwnerEnters(transaction, organizationId, accountId)
  const ids = { organizationId, accountId }
  const { raised } = await changeMember(transaction, ids, { role })
  await shortenForOwner(environment, transaction, accountId, role)
  await withdrawInvitationsOf(transaction, ids, rolesNotGivenBy(role))
  return { raised, email: member.email, from: member.role }
}
