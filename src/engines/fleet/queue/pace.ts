/** How fast a pool frees slots, and so how long a wait would be. */
export type Pace = {
  /** `contended`: whether somebody waits, or was refused since the last one. */
  onSlotFreed(contended: boolean): void
  /** How long it takes to free so many slots; 0 while that is not known. */
  waitMs(starts: number): number
  /** When a client should try again that would have waited for so many. */
  retryAfterMs(starts: number): number
}

const RETRY_AFTER_MS_MIN = 1_000
const RETRY_AFTER_MS_MAX = 30_000
/** A pace that was measured longer ago says nothing. */
const VALID_MS = 10_000
/** Weight of the newest interval in the moving average between freed slots. */
const INTERVAL_WEIGHT = 0.1

/** Only times between slots that somebody waited for are measured. */
export function createPace(now: () => number = () => performance.now()): Pace {
  let intervalMs: number | undefined
  let last = { atMs: -Infinity, contended: false }
  const waitMs = (starts: number) => {
    const isValid = intervalMs !== undefined && now() - last.atMs < VALID_MS + intervalMs
    return isValid && intervalMs !== undefined ? intervalMs * starts : 0
  }
  return {
    onSlotFreed(contended) {
      const atMs = now()
      if (contended && last.contended) {
        const newestMs = atMs - last.atMs
        intervalMs = (intervalMs ?? newestMs) * (1 - INTERVAL_WEIGHT) + newestMs * INTERVAL_WEIGHT
      }
      last = { atMs, contended }
    },
    waitMs,
    retryAfterMs: (starts) =>
      Math.min(Math.max(waitMs(starts), RETRY_AFTER_MS_MIN), RETRY_AFTER_MS_MAX),
  }
}
