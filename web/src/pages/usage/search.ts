import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export const PERIODS = ['today', '7', '30', '90', 'month', 'custom'] as const
export const GROUPS = ['day', 'hour', 'model', 'project', 'key', 'member'] as const
export const SPLITS = ['model', 'project', 'key', 'member'] as const
export const MEASURES = ['requests', 'input', 'cached', 'output', 'reasoning', 'cost'] as const
export const SORTED_BY = ['name', 'failed', ...MEASURES] as const

export type Period = (typeof PERIODS)[number]
export type Group = (typeof GROUPS)[number]
export type Split = (typeof SPLITS)[number]
export type Measure = (typeof MEASURES)[number]
export type SortedBy = (typeof SORTED_BY)[number]

/** Without a value: 30 days, by day and model, cost. Times are UTC. */
export function readUsageSearch(search: RawSearch) {
  return present({
    period: oneOf(search['period'], PERIODS),
    /** Of a custom period: its first and its last day. */
    from: dayOf(search['from']),
    to: dayOf(search['to']),
    by: oneOf(search['by'], GROUPS),
    split: oneOf(search['split'], [...SPLITS, 'none'] as const),
    measure: oneOf(search['measure'], MEASURES),
    project: textOf(search['project']),
    key: textOf(search['key']),
    member: textOf(search['member']),
    model: textOf(search['model']),
    zone: oneOf(search['zone'], ['utc'] as const),
    sort: oneOf(search['sort'], SORTED_BY),
    order: oneOf(search['order'], ['up', 'down'] as const),
  })
}

export type UsageSearch = ReturnType<typeof readUsageSearch>

function dayOf(value: unknown): string | undefined {
  const text = textOf(value)
  const isDay = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)
  return isDay && !Number.isNaN(Date.parse(text)) ? text : undefined
}
