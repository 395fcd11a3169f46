import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { withdrawInvitationsOf } from '../../store/people/givers.ts'
import { hasOwnerWhoEnters, type ScimUser } from '../../store/people/scim-users.ts'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { endSessionsThrough } from '../../store/sign-in/sessions.ts'
import { listConnections } from '../../store/sign-in/sso-connections.ts'
import { findDomainOwner } from '../../store/sign-in/sso-domains.ts'
import { addMember, changeMember } from '../../store/tenants/memberships.ts'
import type { RaisedVersion } from '../../store/tenants/versions.ts'
import { ROLES, type Role } from '../../tenancy/role.ts'
import { ssoMethod } from '../../tenancy/sign-in-methods.ts'
import type { Environment } from '../use-case/environment.ts'
import { domainOfEmail } from '../sign-in/identity/verify-domain.ts'
import { countWithdrawn } from '../invitations/giver.ts'
import { isAddress } from '../mail/address.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'

export type Provisioning = {
  readonly environment: Environment
  readonly transaction: Transaction<Tables>
  readonly organizationId: string
}

export type Provisioned = {
  readonly changes: AuditChanges
  readonly raised: readonly RaisedVersion[]
}

/**
 * A provider decides only about addresses in domains that its organization has verified. Otherwise
 * any organization could make a member of somebody, and its provider could then sign in as them.
 */
export async function checkVerifiedAddress(
  transaction: Transaction<Tables>,
  organizationId: string,
  email: string,
): Promise<void> {
  const domain = isAddress(email) ? domainOfEmail(email) : undefined
  const owner = domain === undefined ? undefined : await findDomainOwner(transaction, domain)
  if (owner === organizationId) return
  throw new ApiError(
    'invalid_value',
    'The address of the user must be in a domain that the organization has verified.',
    { param: 'userName' },
  )
}

export async function beginMembership(
  { environment, transaction, organizationId }: Provisioning,
  accountId: string,
  role: Role,
): Promise<Provisioned> {
  const { raised } = await addMember(transaction, { organizationId, accountId }, role)
  await shortenForOwner(environment, transaction, accountId, role)
  return { changes: { active: [false, true], role: [null, role] }, raised }
}

/**
 * Ends a membership: with it, keys of the person in this organization and their sessions that came
 * from its providers. Sessions that came otherwise stay, for the person's other organizations.
 */
export async function endMembership(
  { transaction, organizationId }: Provisioning,
  { id: accountId, role }: Pick<ScimUser, 'id' | 'role'>,
): Promise<Provisioned> {
  if (role === 'owner') await checkOwnerEnters(transaction, organizationId, accountId)
  const ids = { organizationId, accountId }
  const { raised } = await changeMember(transaction, ids, { state: 'removed' })
  const withdrawn = await withdrawInvitationsOf(transaction, ids, ROLES)
  const connections = await listConnections(transaction, organizationId)
  const methods = connections.map(({ id }) => ssoMethod(id))
  const sessions = await endSessionsThrough(transaction, accountId, methods)
  return {
    changes: {
      active: [true, false],
      role: [role, null],
      ...(sessions > 0 && { sessions_ended: [null, sessions] as const }),
      ...countWithdrawn(withdrawn),
    },
    raised,
  }
}

/** A provider never takes the last owner who can get in. The organization must be locked. */
export async function checkOwnerEnters(
  transaction: Transaction<Tables>,
  organizationId: string,
  accountId: string,
): Promise<void> {
  if (await hasOwnerWhoEnters(transaction, organizationId, accountId)) return
  throw new ApiError(
    'last_owner',
    'This is the last owner who can sign in. Make somebody else owner first.',
  )
}
