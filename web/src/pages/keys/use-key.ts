import { useQuery } from '@tanstack/react-query'
import { callWithEtag } from '../../api/call.ts'
import type { Fault } from '../../api/fault.ts'
import type { Key } from '../../api/routes.ts'
import { useOrganization } from '../../shell/organization.tsx'

const ROUTE = 'GET /organizations/{organization}/keys/{key}'
const LAST_USED_MS = 10_000

export type VersionedKey = { readonly value: Key; readonly etag: string | null }

/** One key with its version, which a change of it names. */
export function useKey(id: string) {
  const { path } = useOrganization()
  const input = { path: { ...path, key: id } }
  return useQuery<VersionedKey, Fault>({
    queryKey: [ROUTE, input, 'version'],
    queryFn: ({ signal }) => callWithEtag(ROUTE, { ...input, signal }),
    refetchInterval: LAST_USED_MS,
  })
}
