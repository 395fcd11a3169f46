import { channel } from 'node:diagnostics_channel'
import type { Kysely } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { createNetworks } from '../../lib/addresses/networks.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { findOrganizationAccess, type OrganizationAccess } from '../../store/people/find-actors.ts'
import type { OrganizationRow, Tables } from '../../store/postgres/tables.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import type { ActingAccount, Actor } from '../../tenancy/actor.ts'
import { checkSignIn } from './check-sign-in.ts'
import type { Environment } from './environment.ts'
import {
  grantOf,
  isOrganizationPermission,
  isPlatformPermission,
  ORGANIZATION_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  rolesWith,
  scopeOf,
  type Grant,
  type OrganizationPermission,
  type Permission,
  type PlatformPermission,
} from '../../tenancy/permissions.ts'
import type { Role } from '../../tenancy/role.ts'
import { networkRefusal } from '../../tenancy/standing.ts'

/** How long a confirmation of identity lasts. */
const CONFIRMATION_MS = 10 * MINUTE_MS

/** Reports every decision, so that a test can tell a route that asked from one that did not. */
export type Asked = { readonly permission: Permission; readonly requestId: string | null }
const asked = channel('headrace:authorize')

/** What an actor was allowed to do. */
export type Access<P extends Permission = Permission> = {
  readonly actor: Actor
  /** Whether all things, or only those that the actor's account created. */
  readonly grant: Grant
  /** The role in the organization; null for the shell, for keys and for support. */
  readonly role: Role | null
  /** The role of the creator of a management key; absent if anybody else acts. */
  readonly creatorRole?: Role
  /** Support reads with the consent of an owner, who sees each read. */
  readonly asSupport: boolean
  readonly organization: P extends OrganizationPermission ? OrganizationRow : null
}

export type Requirement<P extends Permission> = {
  readonly permission: P
  /** Whether a person must have proved who they are in the last ten minutes. */
  readonly confirmed?: boolean
}

/** The organization of an input, for permissions within one. */
export type Within<P extends Permission> = P extends OrganizationPermission
  ? { readonly organization: string }
  : object

/** Decides whether the actor may do it, and throws the error to send if not. */
export async function authorize<P extends Permission>(
  { database, settings }: Pick<Environment, 'database' | 'settings'>,
  actor: Actor,
  { permission, confirmed = false }: Requirement<P>,
  input: Within<P>,
): Promise<Access<P>> {
  asked.publish({ permission, requestId: actor.request?.id ?? null } satisfies Asked)
  if (actor.kind === 'person') checkSession(actor, permission)
  const access = isOrganizationPermission(permission)
    ? await enterOrganization(
        database,
        actor,
        permission,
        (input as { organization: string }).organization,
      )
    : enterPlatform(actor, permission)
  checkNetwork(access)
  if (actor.kind === 'person' && !isForEveryone(permission))
    await checkSignIn({ database, settings }, actor, access)
  if (confirmed && actor.kind === 'person') checkConfirmed(actor.session.confirmedAt)
  return access
}

/** For members and keys of an organization; support and the operator come from elsewhere. */
function checkNetwork({ actor, organization, asSupport }: Access): void {
  const networks = organization?.allowed_networks ?? []
  if (networks.length === 0 || asSupport) return
  if (!['person', 'management_key', 'scim_token'].includes(actor.kind)) return
  const address = actor.request?.address
  if (createNetworks(networks).has(address)) return
  throw networkRefusal(address)
}

/** What somebody needs to complete their sign-in, and their own account. */
function isForEveryone(permission: Permission): boolean {
  return permission === 'anyone' || permission === 'second-factor' || permission === 'self'
}

export function notFound(): ApiError {
  return new ApiError('not_found', 'This does not exist, or you have no access to it.')
}

function checkSession(actor: Actor & { kind: 'person' }, permission: Permission): void {
  if (permission === 'anyone' || permission === 'second-factor') return
  if (actor.session.incomplete)
    throw new ApiError('second_factor_required', 'Complete the sign-in with your second factor.')
  if (permission === 'self') checkRestricted(actor.account)
  else checkAccount(actor.account)
}

function checkRestricted({ state }: ActingAccount): void {
  if (state === 'restricted')
    throw new ApiError('account_restricted', 'This account is restricted.')
}

/** In the order of the data plane: see `tenancy/standing.ts`. */
function checkAccount(account: ActingAccount): void {
  checkRestricted(account)
  if (account.state === 'waiting')
    throw new ApiError(
      'platform_access_required',
      'This account is on the waiting list. You get an email when it is admitted.',
    )
  if (!account.registered)
    throw new ApiError('onboarding_pending', 'Complete your registration first.')
}

function checkConfirmed(confirmedAt: Date): void {
  if (Date.now() - confirmedAt.getTime() <= CONFIRMATION_MS) return
  throw new ApiError(
    'confirmation_required',
    'Confirm that it is you: this action needs a confirmation of the last ten minutes.',
  )
}

function enterPlatform(actor: Actor, permission: Permission): Access {
  const access = { actor, grant: 'all', role: null, asSupport: false, organization: null } as const
  if (permission === 'anyone') return access
  switch (actor.kind) {
    case 'nobody':
      throw new ApiError('unauthenticated', 'You are not signed in.')
    case 'operator_shell':
    case 'system':
      return access
    case 'person':
      if (isPlatformPermission(permission)) checkPlatformRole(actor.account, permission)
      return access
    case 'management_key':
      checkScope(actor, permission)
      if (actor.organizationId !== null) throw scopeRequired(permission)
      checkAccount(actor.creator)
      if (isPlatformPermission(permission)) checkPlatformRole(actor.creator, permission)
      return access
    case 'scim_token':
      throw scopeRequired(permission)
  }
}

function checkPlatformRole({ platformRole }: ActingAccount, permission: PlatformPermission): void {
  const roles: readonly string[] = PLATFORM_PERMISSIONS[permission].roles
  if (platformRole !== null && roles.includes(platformRole)) return
  throw new ApiError('role_required', `This needs the platform role ${roles.join(' or ')}.`)
}

async function enterOrganization(
  database: Kysely<Tables>,
  actor: Actor,
  permission: OrganizationPermission,
  reference: string,
): Promise<Access<OrganizationPermission>> {
  switch (actor.kind) {
    case 'nobody':
      throw new ApiError('unauthenticated', 'You are not signed in.')
    case 'operator_shell':
    case 'system': {
      const organization = await findOrganization(database, reference)
      if (organization.deleted_at !== null) throw notFound()
      return { actor, grant: 'all', role: null, asSupport: false, organization }
    }
    case 'person': {
      const found = await findOrganizationAccess(database, reference, actor.account.id)
      return enterAsPerson(actor, permission, found)
    }
    case 'management_key': {
      const found = await findOrganizationAccess(database, reference, actor.creator.id)
      if (found === undefined || found.organization.id !== actor.organizationId) throw notFound()
      checkScope(actor, permission)
      checkAccount(actor.creator)
      const { membership, organization } = found
      // The key ends with the right of its creator.
      if (membership?.state !== 'active' || grantOf(permission, membership.role) !== 'all')
        throw new ApiError('scope_required', 'The creator of this key no longer has this right.')
      const creatorRole = membership.role
      return { actor, grant: 'all', role: null, creatorRole, asSupport: false, organization }
    }
    case 'scim_token': {
      if (permission !== 'people:provision') throw scopeRequired(permission)
      if (reference !== actor.organizationId) throw notFound()
      const organization = await findOrganization(database, reference)
      return { actor, grant: 'all', role: null, asSupport: false, organization }
    }
  }
}

function enterAsPerson(
  actor: Actor & { kind: 'person' },
  permission: OrganizationPermission,
  found: OrganizationAccess | undefined,
): Access<OrganizationPermission> {
  if (found === undefined) throw notFound()
  const { organization, membership, supportAllowed } = found
  if (membership?.state === 'active') {
    const { role } = membership
    const grant = grantOf(permission, role)
    if (grant !== undefined) return { actor, grant, role, asSupport: false, organization }
    throw new ApiError(
      'role_required',
      `This needs the role ${rolesWith(permission).join(' or ')} in the organization.`,
    )
  }
  const supports = actor.account.platformRole !== null && supportAllowed
  if (!supports) throw notFound()
  if (!ORGANIZATION_PERMISSIONS[permission].support)
    throw new ApiError('role_required', 'Support access lets you read only.')
  return { actor, grant: 'all', role: null, asSupport: true, organization }
}

function checkScope(actor: Actor & { kind: 'management_key' }, permission: Permission): void {
  const scope = scopeOf(permission)
  if (scope === null || !actor.scopes.includes(scope)) throw scopeRequired(permission)
}

function scopeRequired(permission: Permission): ApiError {
  const scope = scopeOf(permission)
  return new ApiError(
    'scope_required',
    scope === null
      ? 'This cannot be done with a management key: sign in instead.'
      : `This needs a management key with the scope ${scope}.`,
  )
}
