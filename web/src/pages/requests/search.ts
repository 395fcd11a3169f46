import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export const OUTCOMES = ['completed', 'failed', 'abandoned', 'lost', 'refused'] as const
export type Outcome = (typeof OUTCOMES)[number]

export function readRequestsSearch(search: RawSearch) {
  return present({
    outcome: oneOf(search['outcome'], OUTCOMES),
    project: textOf(search['project']),
    key: textOf(search['key']),
    member: textOf(search['member']),
    model: textOf(search['model']),
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
