import { useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { grantOf, type OrganizationPermission } from '../../../src/tenancy/permissions.ts'
import type { OwnOrganization } from '../api/routes.ts'
import { useApi } from '../api/use-reading.ts'
import { rememberOrganization } from './last-used.ts'
import { useMe } from './session.ts'

export type CurrentOrganization = {
  readonly slug: string
  readonly name: string
  readonly plan: string
  readonly role: OwnOrganization['role']
  /** Until when the person reads it as support; null for members. */
  readonly supportUntil: string | null
  /** What the role may not do is not offered; the server decides all the same. */
  readonly may: (permission: OrganizationPermission) => boolean
  /** The path parameter of every route of the organization. */
  readonly path: { readonly organization: string }
}

const ORGANIZATIONS_SHOWN = 100
const FRESH_MS = 30_000
/** Somebody who goes from page to page quickly reads their roles once in this time. */
const NAVIGATION_MS = 3_000

/** The organizations of the person, at most a hundred; more are found by name (Ctrl K). */
export function useOwnOrganizations(enabled = true) {
  return useApi(
    'GET /me/organizations',
    { query: { limit: ORGANIZATIONS_SHOWN } },
    { enabled, freshFor: FRESH_MS, every: FRESH_MS },
  )
}

/** Reads roles and organizations again when the page changes: others may have changed them. */
export function useFreshRoles(enabled: boolean): void {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { refetch, dataUpdatedAt } = useOwnOrganizations(enabled)
  const readAt = useRef(dataUpdatedAt)
  useEffect(() => void (readAt.current = dataUpdatedAt), [dataUpdatedAt])
  useEffect(() => {
    if (enabled && Date.now() - readAt.current > NAVIGATION_MS)
      void refetch({ cancelRefetch: false })
  }, [enabled, path, refetch])
}

/** The organization in the address, if it is not among one's own that are listed. */
function useOther() {
  const { slug = '' } = useParams({ strict: false })
  const me = useMe().data
  const own = useOwnOrganizations().data
  const isListed = own?.data.some((organization) => organization.slug === slug) === true
  const isAsked =
    slug !== '' &&
    own !== undefined &&
    !isListed &&
    (me?.platform_role !== null || own.next !== null)
  const { data, error } = useApi(
    'GET /organizations/{organization}',
    { path: { organization: slug } },
    { enabled: isAsked, freshFor: FRESH_MS },
  )
  return { isAsked, isListed, data: isAsked ? data : undefined, error }
}

/**
 * Whether the organization in the address is one's own, or can be read all the same: by support
 * with the consent of an owner, or because it is not among the hundred that are listed.
 */
export function useAccess(): 'member' | 'reader' | 'none' | 'unknown' {
  const own = useOwnOrganizations()
  const { isAsked, isListed, data, error } = useOther()
  if (isListed) return 'member'
  // Without a list each page says itself what it cannot read.
  if (own.data === undefined) return own.error === null ? 'unknown' : 'reader'
  if (!isAsked || error?.status === 404 || error?.status === 403) return 'none'
  return data === undefined && error === null ? 'unknown' : 'reader'
}

/** The organization in the address. */
export function useOrganization(): CurrentOrganization {
  const { slug = '' } = useParams({ strict: false })
  const own = useOwnOrganizations()
  const known = own.data?.data.find((organization) => organization.slug === slug)
  const other = useOther().data
  const isOwn = known !== undefined
  useEffect(() => {
    if (isOwn) rememberOrganization(slug)
  }, [isOwn, slug])
  // Not a member: support with the owner's consent. It reads; the server knows what.
  const role = known?.role ?? 'viewer'
  return {
    slug,
    name: known?.name ?? other?.name ?? slug,
    plan: known?.plan ?? other?.plan ?? '',
    role,
    supportUntil: other?.support_access_ends_at ?? null,
    may: (permission) => grantOf(permission, role) !== undefined,
    path: { organization: slug },
  }
}
