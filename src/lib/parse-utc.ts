/** A day, which begins at 00:00, or a time, in UTC: `2026-05-01`, `2026-05-01T08:00Z`. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/

/** Milliseconds since 1970; undefined if the text is no day and no time. */
export function parseUtc(text: string): number | undefined {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse would turn February 30 into a day in March.
  const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10))
  return exists ? ms : undefined
}
