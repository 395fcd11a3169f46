import type { RequestSummary } from '../../api/routes.ts'
import type { List } from '../../api/use-list.ts'

type Part = Pick<List<RequestSummary>, 'items' | 'hasMore' | 'loadMore'>

/**
 * Two lists that are newest first as one. A request in both is shown once, as the earlier list
 * has it, with the error that the other one knows. Rows older than the end of a list that goes on
 * are held back until that list is read further: otherwise rows would appear above those already
 * seen.
 */
export function mergeNewest(lists: readonly Part[]): {
  readonly items: RequestSummary[] | undefined
  readonly loadMore: () => void
} {
  if (lists.some(({ items }) => items === undefined))
    return { items: undefined, loadMore: () => {} }
  const ends = lists.map(({ items = [], hasMore }) => {
    const last = items.at(-1)
    return hasMore && last !== undefined ? Date.parse(last.made_at) : -Infinity
  })
  const end = Math.max(...ends)
  const items = joinById(lists.flatMap((list) => list.items ?? []))
    .filter(({ made_at: madeAt }) => Date.parse(madeAt) >= end)
    .toSorted((one, other) => compare(other, one))
  return {
    items,
    loadMore: () => {
      for (const [at, list] of lists.entries())
        if (list.hasMore && ends[at] === end) list.loadMore()
    },
  }
}

function joinById(requests: readonly RequestSummary[]): RequestSummary[] {
  const joined = new Map<string, RequestSummary>()
  for (const request of requests) {
    const known = joined.get(request.id)
    joined.set(request.id, known === undefined ? request : withError(known, request))
  }
  return [...joined.values()]
}

function withError(known: RequestSummary, other: RequestSummary): RequestSummary {
  return { ...known, error: known.error ?? other.error }
}

/** Ids begin with their time, so they break ties in order. */
function compare(one: RequestSummary, other: RequestSummary): number {
  return Date.parse(one.made_at) - Date.parse(other.made_at) || (one.id < other.id ? -1 : 1)
}

/** Whether a request was made in a period of which either end may be open. */
export function isWithin(
  { made_at: madeAt }: Pick<RequestSummary, 'made_at'>,
  { from, to }: { readonly from?: string; readonly to?: string },
): boolean {
  const at = Date.parse(madeAt)
  return (from === undefined || at >= Date.parse(from)) && (to === undefined || at < Date.parse(to))
}
