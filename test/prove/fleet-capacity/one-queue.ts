/** A request of a load: when it comes, and how long it needs a slot. */
export type Arrival = { readonly atMs: number; readonly ms: number }

/** What one queue in front of all slots would have done with a request. */
export type Served = { readonly waitMs: number; readonly endMs: number }

/**
 * One exact queue: who comes first is served first, and who would wait longer than `waitMaxMs` is
 * refused at once; undefined for those.
 */
export function serveByOneQueue(
  arrivals: readonly Arrival[],
  slots: number,
  waitMaxMs: number,
): (Served | undefined)[] {
  // When each slot becomes free; kept in order, earliest first.
  const freeMs = Array.from({ length: slots }, () => 0)
  return arrivals.map(({ atMs, ms }) => {
    const waitMs = Math.max(0, (freeMs[0] ?? 0) - atMs)
    if (waitMs > waitMaxMs) return undefined
    const endMs = atMs + waitMs + ms
    freeMs.shift()
    const at = freeMs.findIndex((each) => each > endMs)
    freeMs.splice(at < 0 ? freeMs.length : at, 0, endMs)
    return { waitMs, endMs }
  })
}
