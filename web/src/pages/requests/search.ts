import { PERIODS } from '../../parts/use-period.ts'
import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export const OUTCOMES = ['completed', 'failed', 'abandoned', 'lost', 'refused'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** What the list can be narrowed to: `errors` are those that failed or were refused. */
export const OUTCOME_FILTERS = [...OUTCOMES, 'errors'] as const
export type OutcomeFilter = (typeof OUTCOME_FILTERS)[number]

/** What a request is refused with, or fails with before a record is made for it. */
export const STATUSES = [
  '400',
  '402',
  '403',
  '404',
  '413',
  '429',
  '500',
  '502',
  '503',
  '504',
] as const

export function readRequestsSearch(search: RawSearch) {
  return present({
    outcome: oneOf(search['outcome'], OUTCOME_FILTERS),
    project: textOf(search['project']),
    key: textOf(search['key']),
    member: textOf(search['member']),
    model: textOf(search['model']),
    /** Of the answer; only requests without a record have one. */
    status: oneOf(search['status'], STATUSES),
    /** The highest first instead of the newest; refusals have neither. */
    sort: oneOf(search['sort'], ['cost', 'duration']),
    period: oneOf(search['period'], PERIODS),
    /** Times in UTC, as links of other pages set them. */
    from: timeOf(search['from']),
    to: timeOf(search['to']),
  })
}

export type RequestsSearch = ReturnType<typeof readRequestsSearch>

function timeOf(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text
}
