import type { Balance } from '../../api/routes.ts'

const DAY_MS = 86_400_000

/** Whole days that what is free lasts at the rate of the forecast; null if nothing is used. */
export function daysLeft(
  { available, billing_state: state, forecast, spent_this_month: spent }: Balance,
  now: number,
): number | null {
  // While requests are refused nothing is spent.
  if (available === null || state !== 'ok') return null
  const at = new Date(now)
  const monthEnd = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
  const perDay = (forecast.month.amount_micro - spent.amount_micro) / ((monthEnd - now) / DAY_MS)
  if (perDay <= 0) return null
  return Math.max(0, Math.floor(available.amount_micro / perDay))
}

/** Amounts of 50, 80 and 100 %, as texts of at most two decimals. */
export function sharesOf(amount: number): string[] {
  return [0.5, 0.8, 1].map((share) => (amount * share).toFixed(2).replace(/\.00$/, ''))
}
