/** The health of one engine, derived only from the generations that it runs. */
export type EngineHealth = {
  /** A generation started on it. */
  began(): void
  /** It sent real pieces, not pings. */
  progressed(): void
  /** A generation ended, successfully or not. */
  ended(): void
  /** There was no connection, or it failed before any response: no request causes that. */
  unreachable(): void
  /**
   * A failure that the request may have caused: a 5xx status, a broken stream, a timeout, output
   * that is not what was asked for. Returns true if a check of the engine should decide.
   */
  failed(organizationId: string): boolean
  succeeded(): void
  /** The check that `failed` asked for did not pass. */
  failedCheck(): void
  readonly running: number
  /** When it last sent pieces. */
  readonly lastProgressMs: number
  /** How often it was ejected. */
  readonly ejections: number
  /** Whether requests should be sent to it. */
  isHealthy(nowMs: number): boolean
}

/** Consecutive failures after which an engine is ejected. */
const FAILURES_MAX = 3
const EJECTED_MS = 5_000
const EJECTED_MS_MAX = 60_000
/** An engine with running generations and no pieces for this long is stalled. */
const STALLED_MS = 20_000
/** The shortest time between two checks. */
const CHECK_MS = 5_000

/** The consecutive failures of an engine. */
type Failures = {
  count: number
  unreachable: number
  /** The first organization that saw one. */
  organizationId: string | undefined
  /** Whether another organization saw one too. */
  several: boolean
}

/**
 * Health is progress. An engine that runs generations and sends no pieces for any of them is
 * stalled; a busy one always sends some. After consecutive failures it is ejected for a while,
 * longer each time, and then one request decides. A tenant can cause most failures with its own
 * requests. So these count only if different organizations see them; those of a single one lead to
 * a check, which decides.
 */
export function createEngineHealth(now: () => number = () => performance.now()): EngineHealth {
  let running = 0
  let failures = noFailures()
  let level = 0
  let ejections = 0
  let ejectedUntilMs = 0
  let lastProgressMs = 0
  let nextCheckMs = -Infinity

  function eject(): void {
    level += 1
    ejections += 1
    ejectedUntilMs = now() + Math.min(EJECTED_MS * level, EJECTED_MS_MAX)
    // The first failure after its return ejects it again, or leads to a check.
    failures = { ...noFailures(), count: FAILURES_MAX - 1, unreachable: FAILURES_MAX - 1 }
  }

  /** Generations that began before an ejection say nothing new. */
  const isEjected = () => now() < ejectedUntilMs

  return {
    get running() {
      return running
    },
    get lastProgressMs() {
      return lastProgressMs
    },
    get ejections() {
      return ejections
    },
    began() {
      if (running === 0) lastProgressMs = now()
      running += 1
    },
    progressed: () => void (lastProgressMs = now()),
    ended: () => void (running -= 1),
    unreachable() {
      if (isEjected()) return
      failures.count += 1
      failures.unreachable += 1
      if (failures.unreachable >= FAILURES_MAX) eject()
    },
    failed(organizationId) {
      if (isEjected()) return false
      failures.count += 1
      failures.organizationId ??= organizationId
      failures.several ||= failures.organizationId !== organizationId
      if (failures.count < FAILURES_MAX) return false
      if (failures.several) {
        eject()
        return false
      }
      const nowMs = now()
      if (nowMs < nextCheckMs) return false
      nextCheckMs = nowMs + CHECK_MS
      return true
    },
    succeeded() {
      failures = noFailures()
      level = 0
    },
    failedCheck() {
      if (!isEjected()) eject()
    },
    isHealthy(nowMs) {
      if (nowMs < ejectedUntilMs) return false
      return running === 0 || nowMs - lastProgressMs < STALLED_MS
    },
  }
}

function noFailures(): Failures {
  return { count: 0, unreachable: 0, organizationId: undefined, several: false }
}
