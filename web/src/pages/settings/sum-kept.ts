import type { KeptContent, Retention } from '../../api/routes.ts'

const DAY_MS = 86_400_000

export type KeptSum = {
  readonly records: number
  /** There is more than was counted. */
  readonly more: boolean
  /** Different days, of either kind. */
  readonly days: number
  readonly oldest: string | null
  /** When the last of it is destroyed, as a time; null if nothing is kept. */
  readonly goneBy: number | null
}

type Periods = Pick<Retention, 'standard_days' | 'contributor_days'>

/** The UTC day on which nothing of a day is kept any more: its key goes after the whole period. */
export function goneBy({ retention, day }: KeptContent, periods: Periods): number {
  const days = retention === 'standard' ? periods.standard_days : periods.contributor_days
  return Date.parse(day) + (days + 1) * DAY_MS
}

export function sumKept(kept: readonly KeptContent[], hasMore: boolean, periods: Periods): KeptSum {
  const days = new Set(kept.map(({ day }) => day))
  return {
    records: kept.reduce((sum, { records }) => sum + records, 0),
    more: hasMore || kept.some(({ more }) => more),
    days: days.size,
    oldest: [...days].toSorted()[0] ?? null,
    goneBy: kept.length === 0 ? null : Math.max(...kept.map((each) => goneBy(each, periods))),
  }
}
