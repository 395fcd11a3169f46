import { useParams } from '@tanstack/react-router'
import { grantOf, type OrganizationPermission } from '../../../src/tenancy/permissions.ts'
import type { OwnOrganization } from '../api/routes.ts'
import { useApi } from '../api/use-reading.ts'

export type CurrentOrganization = {
  readonly slug: string
  readonly name: string
  readonly plan: string
  readonly role: OwnOrganization['role']
  /** What the role may not do is not offered; the server decides all the same. */
  readonly may: (permission: OrganizationPermission) => boolean
  /** The path parameter of every route of the organization. */
  readonly path: { readonly organization: string }
}

const ORGANIZATIONS_SHOWN = 100
const FRESH_MS = 30_000

/** The organizations of the person, at most a hundred; more are found by name (Ctrl K). */
export function useOwnOrganizations(enabled = true) {
  return useApi(
    'GET /me/organizations',
    { query: { limit: ORGANIZATIONS_SHOWN } },
    { enabled, freshFor: FRESH_MS, every: FRESH_MS },
  )
}

/** The organization in the address. */
export function useOrganization(): CurrentOrganization {
  const { slug } = useParams({ strict: false })
  const own = useOwnOrganizations()
  const known = own.data?.data.find((organization) => organization.slug === slug)
  const name = slug ?? ''
  // Not a member: support with the owner's consent. It reads; the server knows what.
  const role = known?.role ?? 'viewer'
  return {
    slug: name,
    name: known?.name ?? name,
    plan: known?.plan ?? '',
    role,
    may: (permission) => grantOf(permission, role) !== undefined,
    path: { organization: name },
  }
}
