import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { callWithEtag } from '../../../api/call.ts'
import type { Fault } from '../../../api/fault.ts'
import type { OrganizationDetail } from '../../../api/routes.ts'

export const DETAIL = 'GET /operator/organizations/{organization}'

/** With its version: a change names the version that was looked at. */
export type Versioned = { readonly value: OrganizationDetail; readonly etag: string | null }

export function useOrganizationDetail(organization: string): UseQueryResult<Versioned, Fault> {
  return useQuery<Versioned, Fault>({
    queryKey: [DETAIL, { path: { organization } }, 'version'],
    queryFn: ({ signal }) => callWithEtag(DETAIL, { path: { organization }, signal }),
  })
}
