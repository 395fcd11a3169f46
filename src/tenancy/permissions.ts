import type { PlatformRole, Role } from './role.ts'

/** All things of the organization, or only those that the actor created. */
export type Grant = 'all' | 'own'

type Grants = Readonly<Partial<Record<Role, Grant>>>

type OrganizationRule = {
  readonly within: 'organization'
  readonly roles: Grants
  /** The scope that a management key needs; null if no key may do it. */
  readonly scope: string | null
  /** Whether support may do it while the organization grants support access. */
  readonly support: boolean
}

type PlatformRule = {
  readonly within: 'platform'
  readonly roles: readonly PlatformRole[]
  readonly scope: string | null
}

const EVERYONE: Grants = { viewer: 'all', member: 'all', admin: 'all', owner: 'all' }
const OWN_FOR_MEMBERS: Grants = { ...EVERYONE, member: 'own' }
const NOT_MEMBERS: Grants = { viewer: 'all', admin: 'all', owner: 'all' }
const ADMINS: Grants = { admin: 'all', owner: 'all' }
const OWNERS: Grants = { owner: 'all' }
const NOBODY: Grants = {}

function read(scope: string | null, roles: Grants): OrganizationRule {
  return { within: 'organization', roles, scope, support: true }
}

function write(scope: string | null, roles: Grants): OrganizationRule {
  return { within: 'organization', roles, scope, support: false }
}

/** Who may do what: the only table of rights. */
export const ORGANIZATION_PERMISSIONS = {
  'organization:read': read('organization:read', EVERYONE),
  'organization:write': write('organization:write', ADMINS),
  'organization:delete': write(null, OWNERS),
  'projects:read': read('projects:read', EVERYONE),
  'projects:write': write('projects:write', ADMINS),
  'keys:read': read('keys:read', OWN_FOR_MEMBERS),
  'keys:write': write('keys:write', { member: 'own', ...ADMINS }),
  'playground:use': write(null, { member: 'all', ...ADMINS }),
  'usage:read': read('usage:read', OWN_FOR_MEMBERS),
  'requests:read': read('requests:read', OWN_FOR_MEMBERS),
  /** Never with a key: what it would give away outlives it. */
  'request-links:write': write(null, { member: 'own', ...ADMINS }),
  'billing:read': read('billing:read', NOT_MEMBERS),
  'alerts:read': read('billing:write', ADMINS),
  'billing:write': write('billing:write', ADMINS),
  'payments:read': read('payments:read', ADMINS),
  /** Never with a key: a person pays, or redeems a voucher. */
  'payments:write': write(null, ADMINS),
  /** Never with a key: a person agrees that a card is charged. */
  'automatic-top-up:write': write(null, OWNERS),
  'members:read': read('members:read', EVERYONE),
  'members:write': write('members:write', ADMINS),
  /** Everyone may end their own membership. */
  'membership:end': write(null, EVERYONE),
  'retention:read': read('retention:read', ADMINS),
  'retention:write': write(null, OWNERS),
  'sign-in:read': read(null, OWNERS),
  'sign-in:write': write(null, OWNERS),
  'management-keys:read': read(null, OWNERS),
  'management-keys:write': write(null, OWNERS),
  'support-access:read': read(null, OWNERS),
  'support-access:write': write(null, OWNERS),
  'audit:read': read('audit:read', NOT_MEMBERS),
  /** Where the log is sent. Never with a key: what it would set up outlives it. */
  'audit-stream:read': read(null, OWNERS),
  'audit-stream:write': write(null, OWNERS),
  /** When and how members sign in, or fail to. */
  'sign-ins:read': read('audit:read', ADMINS),
  /** With a SCIM token only. */
  'people:provision': { within: 'organization', roles: NOBODY, scope: null, support: false },
} as const satisfies Record<string, OrganizationRule>

export const PLATFORM_PERMISSIONS = {
  'platform:read': { within: 'platform', roles: ['support', 'operator'], scope: 'platform:read' },
  'platform:admit': { within: 'platform', roles: ['support', 'operator'], scope: 'platform:write' },
  'platform:write': { within: 'platform', roles: ['operator'], scope: 'platform:write' },
  /** Never with a key: what it would set up outlives it. */
  'platform-audit:manage': { within: 'platform', roles: ['operator'], scope: null },
  /** Never with a key: a key must not make keys. */
  'platform-keys:write': { within: 'platform', roles: ['operator'], scope: null },
} as const satisfies Record<string, PlatformRule>

export type OrganizationPermission = keyof typeof ORGANIZATION_PERMISSIONS
export type PlatformPermission = keyof typeof PLATFORM_PERMISSIONS

/**
 * `anyone`: without signing in. `second-factor`: with a session that may lack its second factor.
 * `self`: whoever is signed in, for their own account.
 */
export type Permission =
  | OrganizationPermission
  | PlatformPermission
  | 'anyone'
  | 'second-factor'
  | 'self'

export function isOrganizationPermission(
  permission: Permission,
): permission is OrganizationPermission {
  return Object.hasOwn(ORGANIZATION_PERMISSIONS, permission)
}

export function isPlatformPermission(permission: Permission): permission is PlatformPermission {
  return Object.hasOwn(PLATFORM_PERMISSIONS, permission)
}

/** What a role may do; undefined if it may not. */
export function grantOf(permission: OrganizationPermission, role: Role): Grant | undefined {
  const rule: OrganizationRule = ORGANIZATION_PERMISSIONS[permission]
  return rule.roles[role]
}

/** The scope that a management key needs; null if no key may do it. */
export function scopeOf(permission: Permission): string | null {
  if (isOrganizationPermission(permission)) return ORGANIZATION_PERMISSIONS[permission].scope
  return isPlatformPermission(permission) ? PLATFORM_PERMISSIONS[permission].scope : null
}

export const PLATFORM_SCOPES: readonly string[] = /* @__PURE__ */ scopesOf(PLATFORM_PERMISSIONS)

function scopesOf(rules: Readonly<Record<string, { readonly scope: string | null }>>): string[] {
  const scopes = Object.values(rules).flatMap(({ scope }) => (scope === null ? [] : [scope]))
  return [...new Set(scopes)]
}

/** The scopes that a management key may get from somebody with this role. */
export function scopesOfRole(role: Role): string[] {
  const scopes = permissionsOf(role)
    .filter((permission) => grantOf(permission, role) === 'all')
    .flatMap((permission) => ORGANIZATION_PERMISSIONS[permission].scope ?? [])
  return [...new Set(scopes)]
}

/** What only people do. It adds nothing to what the other rights of their role allow. */
const PERSONAL: readonly OrganizationPermission[] = [
  'playground:use',
  'payments:write',
  'membership:end',
  'request-links:write',
]

/** Whether somebody with a role may give another role: owners any, admins all but owner. */
export function mayGiveRole(giver: Role, given: Role): boolean {
  if (grantOf('members:write', giver) !== 'all') return false
  return permissionsOf(given).every((permission) => grantOf(permission, giver) !== undefined)
}

/** Whether the scopes of a management key include everything that a role may do. */
export function scopesCoverRole(scopes: readonly string[], role: Role): boolean {
  return permissionsOf(role).every((permission) => {
    const scope = scopeOf(permission)
    return PERSONAL.includes(permission) || (scope !== null && scopes.includes(scope))
  })
}

function permissionsOf(role: Role): OrganizationPermission[] {
  const permissions = Object.keys(ORGANIZATION_PERMISSIONS) as OrganizationPermission[]
  return permissions.filter((permission) => grantOf(permission, role) !== undefined)
}

/** The roles that have a right, for messages. */
export function rolesWith(permission: OrganizationPermission): Role[] {
  return Object.keys(ORGANIZATION_PERMISSIONS[permission].roles) as Role[]
}
