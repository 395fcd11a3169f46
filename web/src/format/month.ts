/** Bounds of a UTC month, as the API takes them; `back` months before the current one. */
export function utcMonth(now: number, back = 0): { readonly from: string; readonly to: string } {
  const at = new Date(now)
  const start = (months: number) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months)).toISOString().slice(0, 10)
  return { from: start(-back), to: start(1 - back) }
}
