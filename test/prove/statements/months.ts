/** The first moment of the UTC month that is so many months away from the one of a moment. */
export function monthFrom(timeMs: number, months: number): number {
  const date = new Date(timeMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** As 2026-10. */
export function nameOfMonth(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7)
}
