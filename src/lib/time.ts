export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The UTC month of a moment as the number YYYYMM. */
export function utcMonth(timeMs: number): number {
  const date = new Date(timeMs)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}
