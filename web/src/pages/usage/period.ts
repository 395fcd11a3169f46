import type { UsageSearch } from './search.ts'

const DAY_MS = 86_400_000

export type Range = {
  /** The beginning of a UTC day. */
  readonly from: number
  /** The end of a UTC day. */
  readonly to: number
}

/** The UTC days that the address means. A custom period that is not whole is the last 30 days. */
export function rangeOf({ period, from, to }: UsageSearch, now: number): Range {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const end = today + DAY_MS
  if (period === 'custom' && from !== undefined && to !== undefined && from <= to)
    return { from: Date.parse(from), to: Date.parse(to) + DAY_MS }
  if (period === 'today') return { from: today, to: end }
  if (period === 'month') {
    const date = new Date(now)
    return { from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()), to: end }
  }
  const days = period === '7' || period === '90' ? Number(period) : 30
  return { from: end - days * DAY_MS, to: end }
}

export function daysIn({ from, to }: Range): number {
  return (to - from) / DAY_MS
}

/** As the API and date fields write it. */
export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
