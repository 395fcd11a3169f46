import type { OrganizationPermission } from '../../../src/tenancy/permissions.ts'

/** What a role must be allowed to read for a page of an organization; the others are for all. */
const NEEDS = {
  '/o/$slug/billing': 'billing:read',
  '/o/$slug/audit': 'audit:read',
  '/o/$slug/settings/retention': 'retention:read',
  '/o/$slug/settings/sign-in': 'sign-in:read',
  '/o/$slug/settings/management-keys': 'management-keys:read',
  '/o/$slug/settings/support': 'support-access:read',
} as const satisfies Record<string, OrganizationPermission>

/** The permission that a page needs, by its address or by its route. */
export function neededFor(path: string): OrganizationPermission | undefined {
  const page = path.replace(/^.*?\/o\/[^/]+/, '/o/$slug').replace(/\/$/, '')
  return Object.hasOwn(NEEDS, page) ? NEEDS[page as keyof typeof NEEDS] : undefined
}
