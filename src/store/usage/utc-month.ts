/** The UTC month as a number, YYYYMM. utc-month.lua computes the same for the admission script. */
export function utcMonth(timeMs: number): number {
  const date = new Date(timeMs)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}
