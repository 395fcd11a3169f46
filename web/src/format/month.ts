/** Bounds of a UTC month, as the API takes them; `back` months before the current one. */
export function utcMonth(now: number, back = 0): { readonly from: string; readonly to: string } {
  const at = new Date(now)
  const start = (months: number) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months)).toISOString().slice(0, 10)
  return { from: start(-back), to: start(1 - back) }
}

/** The UTC months from now back to the one of `since`, newest first, at most `max`. */
export function utcMonthsSince(now: number, since: number, max: number) {
  const [at, first] = [new Date(now), new Date(since)]
  const years = at.getUTCFullYear() - first.getUTCFullYear()
  const months = 1 + years * 12 + at.getUTCMonth() - first.getUTCMonth()
  return Array.from({ length: Math.min(Math.max(months, 1), max) }, (_, back) =>
    utcMonth(now, back),
  )
}
