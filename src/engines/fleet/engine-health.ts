/** The health of one engine, derived only from the generations that it runs. */
export type EngineHealth = {
  /** A generation started on it. */
  began(): void
  /** It sent real pieces, not pings. */
  progressed(): void
  /** A generation ended, successfully or not. */
  ended(): void
  /** A failure of the engine: transport, a 5xx status, or a broken stream. */
  failed(): void
  succeeded(): void
  readonly running: number
  /** Whether requests should be sent to it. */
  isHealthy(nowMs: number): boolean
}

/** Consecutive failures after which an engine is ejected. */
const FAILURES_MAX = 3
const EJECTED_MS = 5_000
const EJECTED_MS_MAX = 60_000
/** An engine with running generations and no pieces for this long is stalled. */
const STALLED_MS = 20_000

/**
 * Health is progress. An engine that runs generations and sends no pieces for any of them is
 * stalled; a busy one always sends some. After consecutive failures it is ejected for a while,
 * longer each time, and then one request decides.
 */
export function createEngineHealth(now: () => number = () => performance.now()): EngineHealth {
  let running = 0
  let failures = 0
  let ejections = 0
  let ejectedUntilMs = 0
  let lastProgressMs = 0
  return {
    get running() {
      return running
    },
    began() {
      if (running === 0) lastProgressMs = now()
      running += 1
    },
    progressed() {
      lastProgressMs = now()
    },
    ended() {
      running -= 1
    },
    failed() {
      failures += 1
      if (failures < FAILURES_MAX) return
      ejections += 1
      ejectedUntilMs = now() + Math.min(EJECTED_MS * ejections, EJECTED_MS_MAX)
      // The first failure after its return ejects it again.
      failures = FAILURES_MAX - 1
    },
    succeeded() {
      failures = 0
      ejections = 0
    },
    isHealthy(nowMs) {
      if (nowMs < ejectedUntilMs) return false
      return running === 0 || nowMs - lastProgressMs < STALLED_MS
    },
  }
}
