import type { RequestSummary } from '../../api/routes.ts'
import { useList, type List } from '../../api/use-list.ts'
import { usePeriodStart } from '../../parts/use-period.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { isWithin, mergeNewest } from './merge-lists.ts'
import type { OutcomeFilter, RequestsSearch } from './search.ts'
import { outcomeOf } from './shown-outcome.ts'

const REFRESH_MS = 10_000
const SORTED_SHOWN = 100
const ROUTE = 'GET /organizations/{organization}/requests'

/** Whether requests are listed that have a cost and a duration. */
export function isSortable({ outcome, status }: RequestsSearch): boolean {
  return outcome !== 'refused' && status === undefined
}

/** Requests and refusals in one list. The service keeps them apart: refusals for a week. */
export function useRequests(search: RequestsSearch): List<RequestSummary> {
  const { path } = useOrganization()
  const { from: since, to, period: chosen, outcome, status, sort, ...filters } = search
  const sorted = isSortable(search) ? sort : undefined
  const begin = usePeriodStart(chosen)
  const from = since ?? begin
  const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  const options = { every: REFRESH_MS }
  const recorded = outcome === 'errors' ? 'failed' : outcome
  const records = useList(
    ROUTE,
    {
      path,
      query: {
        ...filters,
        ...period,
        ...(recorded !== undefined && { outcome: recorded }),
        ...(sorted !== undefined && { sort: sorted, limit: SORTED_SHOWN }),
      },
    },
    { ...options, enabled: outcome !== 'refused' && status === undefined },
  )
  const refused = useList(
    ROUTE,
    {
      path,
      query: {
        ...filters,
        outcome: 'refused',
        ...(status !== undefined && { status: Number(status) }),
      },
    },
    {
      ...options,
      enabled: sorted === undefined && (status !== undefined || hasRefusals(outcome)),
    },
  )
  const refusals = narrowed(
    refused,
    (request) =>
      isWithin(request, period) &&
      (outcome === undefined || outcome === 'errors' || outcomeOf(request) === outcome),
  )
  if (outcome === 'refused' || status !== undefined) return refusals
  if (sorted !== undefined || !hasRefusals(outcome)) return records
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

/** The service lists errors that no record was made for as refusals, whatever their status. */
function hasRefusals(outcome: OutcomeFilter | undefined): boolean {
  return outcome === undefined || ['refused', 'failed', 'errors'].includes(outcome)
}

/** The service lists refusals of the last week whatever the period. */
function narrowed(
  list: List<RequestSummary>,
  isShown: (request: RequestSummary) => boolean,
): List<RequestSummary> {
  return { ...list, items: list.items?.filter(isShown) }
}
