/** What is known of one engine from the generations that it runs, and from nothing else. */
export type EngineHealth = {
  /** A generation began on it. */
  began(): void
  /** It brought something: real pieces, not pings. */
  progressed(): void
  /** A generation ended, however. */
  ended(): void
  /** A fault of its own: transport, a status of 5xx, or a broken stream. */
  failed(): void
  succeeded(): void
  readonly running: number
  /** Whether requests should be sent to it. */
  isHealthy(nowMs: number): boolean
}

/** Faults in a row after which an engine is left alone. */
const FAULTS_MAX = 3
const EJECTED_MS = 5_000
const EJECTED_MS_MAX = 60_000
/** An engine with work that has brought nothing for this long hangs, whatever it says of itself. */
const STALLED_MS = 20_000

/**
 * Health is progress. An engine that runs generations and brings no pieces of any of them hangs;
 * a busy one always brings some. After faults in a row it is left alone for a while, longer each
 * time, and then one request decides.
 */
export function createEngineHealth(now: () => number = () => performance.now()): EngineHealth {
  let running = 0
  let faults = 0
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
      faults += 1
      if (faults < FAULTS_MAX) return
      ejections += 1
      ejectedUntilMs = now() + Math.min(EJECTED_MS * ejections, EJECTED_MS_MAX)
      // The first fault after its return ejects it again.
      faults = FAULTS_MAX - 1
    },
    succeeded() {
      faults = 0
      ejections = 0
    },
    isHealthy(nowMs) {
      if (nowMs < ejectedUntilMs) return false
      return running === 0 || nowMs - lastProgressMs < STALLED_MS
    },
  }
}
