import type { RequestSummary } from '../../api/routes.ts'
import { useList, type List } from '../../api/use-list.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { isWithin, mergeNewest } from './merge-lists.ts'
import type { RequestsSearch } from './search.ts'

const REFRESH_MS = 10_000
const ROUTE = 'GET /organizations/{organization}/requests'

/** Requests and refusals in one list. The service keeps them apart: refusals for a week. */
export function useRequests(search: RequestsSearch): List<RequestSummary> {
  const { path } = useOrganization()
  const { from, to, outcome, ...filters } = search
  const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const options = { every: REFRESH_MS }
  const records = useList(
    ROUTE,
    { path, query: { ...filters, ...period, ...(outcome !== undefined && { outcome }) } },
    { ...options, enabled: outcome !== 'refused' },
  )
  const refused = useList(
    ROUTE,
    { path, query: { ...filters, outcome: 'refused' } },
    { ...options, enabled: outcome === undefined || outcome === 'refused' },
  )
  const refusals = withIn(refused, period)
  if (outcome === 'refused') return refusals
  if (outcome !== undefined) return records
  // Without Valkey there are no refusals; what is posted is shown all the same.
  if (refused.items === undefined && refused.error !== null)
    return { ...records, error: records.error ?? refused.error }
  return {
    ...mergeNewest([records, refusals]),
    error: records.error ?? refused.error,
    isFetching: records.isFetching || refused.isFetching,
    asOf: Math.min(records.asOf, refused.asOf),
    hasMore: records.hasMore || refused.hasMore,
    retry: () => {
      records.retry()
      refused.retry()
    },
  }
}

/** The service lists refusals of the last week whatever the period. */
function withIn(
  list: List<RequestSummary>,
  period: { readonly from?: string; readonly to?: string },
): List<RequestSummary> {
  return { ...list, items: list.items?.filter((request) => isWithin(request, period)) }
}
