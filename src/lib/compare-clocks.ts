export type ClockComparison = {
  /** How far the other clock is ahead of ours; negative if it is behind. */
  readonly aheadMs: number
  /** The median. */
  readonly roundTripMs: number
}

const ROUND_TRIPS = 5

/**
 * Compares a remote clock with ours over a few round trips. The fastest one counts: the other clock
 * was read about in the middle of it.
 */
export async function compareClocks(readMs: () => Promise<number>): Promise<ClockComparison> {
  const taken: number[] = []
  let fastest = { aheadMs: 0, tookMs: Infinity }
  for (let at = 0; at < ROUND_TRIPS; at += 1) {
    const [beganAtMs, beganMs] = [Date.now(), performance.now()]
    const theirsMs = await readMs()
    const tookMs = performance.now() - beganMs
    taken.push(tookMs)
    if (tookMs < fastest.tookMs) fastest = { aheadMs: theirsMs - (beganAtMs + tookMs / 2), tookMs }
  }
  const median = taken.toSorted((a, b) => a - b)[Math.floor(ROUND_TRIPS / 2)] ?? 0
  return { aheadMs: fastest.aheadMs, roundTripMs: median }
}
