// Calendar months (UTC) in which spending is counted.
const DAY = 86_400_000n

/** Spending in a month, YYYYMM. */
export type Month = { readonly name: number; readonly spent: bigint }

export function monthOf(now: bigint): number {
  return Number(new Date(Number(now)).toISOString().slice(0, 7).replace('-', ''))
}

/** The month by another clock, which may be ahead by a day at most and not behind. */
export function latestMonth(now: bigint, name: number): number {
  return Math.max(monthOf(now), Math.min(name, monthOf(now + DAY)))
}

/**
 * What was spent in the current month. A month that begins more than a day from now was begun by a
 * clock that ran ahead: what was spent since then counts in the current month. Such a correction
 * must be stored even if nothing is admitted, or the month would not end in time.
 */
export function currentMonth(
  now: bigint,
  month: Month | null,
): { readonly month: Month | null; readonly isCorrected: boolean } {
  if (month === null || monthOf(now) === month.name) return { month, isCorrected: false }
  if (monthOf(now) > month.name)
    return { month: { name: monthOf(now), spent: 0n }, isCorrected: false }
  if (monthOf(now + DAY) >= month.name) return { month, isCorrected: false }
  return { month: { name: monthOf(now), spent: month.spent }, isCorrected: true }
}
