import type { EngineLoad } from '../../adapters/engine.ts'

/** How many requests one engine is given at once, found by what it reports. */
export type EngineCapacity = {
  readonly value: number
  /** Learns what the engine reports. */
  read(load: EngineLoad): void
  /** The engine did not report: what was found stays. */
  missed(): void
}

/** How long nothing is wrong before more requests are tried than ever worked. */
const CALM_MS = 5_000
/** The longest such time, after one more was too many several times in a row. */
const CALM_MS_MAX = 80_000
/** The same below what worked before the engine was short of memory. */
const RECOVERY_MS = 2_000
/** As near to the number that was too many does the fast recovery go. */
const RECOVERED = 0.9
/** From here on, requests that wait do so for room in the cache. */
const CACHE_FULL = 0.9
/**
 * A request that has just come waits until the engine's next step. So many of those that run may
 * wait like that, and those that wait at one reading only do not count at all.
 */
const RUNNING_PER_ARRIVING = 32
/** An engine that runs the same number for so many readings while others wait runs no more. */
const PLATEAU_READINGS = 10
/** Those that ended just now are missing in a reading: one, or one of so many. */
const RUNNING_PER_ENDED = 16

/**
 * An engine is given fewer requests if it is short of memory: it stopped some of them to make room,
 * or some wait while its cache is full. If its memory suffices, or is not reported, then only if it
 * runs the same number while others wait. Requests that wait for prompts to be read, or for a
 * grammar, do not count. What a shortage of memory has taken comes back by doubling, since requests
 * of another size may need less; beyond what worked the engine is tried with one more, then with
 * twice as many more. A trial that failed is repeated after twice the time.
 */
export function createEngineCapacity(
  slots: number,
  found: number = slots,
  now: () => number = () => performance.now(),
): EngineCapacity {
  return new FoundCapacity(slots, found, now)
}

class FoundCapacity implements EngineCapacity {
  value: number
  readonly #slots: number
  readonly #now: () => number
  /** What was too many when memory ran short; otherwise what the engine ran. */
  #limit: number
  /** How many more the next trial gives it. */
  #step = 1
  #calmMs = CALM_MS
  #calmSinceMs: number
  /** What ran at the last readings at which others waited. */
  #runningBeside: number[] = []
  /** Whether the last change was a raise, and the engine did not yet run so many. */
  #isTrial = false
  /** Whether it was lowered since all was well. */
  #isLowered = false
  #before: EngineLoad | undefined

  constructor(slots: number, found: number, now: () => number) {
    this.value = Math.max(1, Math.min(found, slots))
    this.#slots = slots
    this.#limit = this.value
    this.#now = now
    this.#calmSinceMs = now()
  }

  read(load: EngineLoad): void {
    const { running, waiting, cacheUse = 0 } = load
    const before = this.#before
    this.#before = load
    // Its counters only rise while it runs.
    if ((load.served ?? 0) < (before?.served ?? 0)) this.#forget()
    const hasStopped = (load.preempted ?? 0) > (before?.preempted ?? Infinity)
    const isFull = cacheUse >= CACHE_FULL
    const isWaiting = waiting > Math.floor(running / RUNNING_PER_ARRIVING)
    if (isWaiting) this.#runningBeside.push(running)
    else this.#runningBeside = []
    if (this.#runningBeside.length > PLATEAU_READINGS) this.#runningBeside.shift()
    if (hasStopped || (isFull && this.#isLasting())) this.#lower(running, this.value)
    else if (isWaiting && this.#runsNoMore(load)) {
      const most = Math.max(...this.#runningBeside)
      this.#lower(most, most)
    }
    if (isFull) this.#calmSinceMs = this.#now()
    else if (!isWaiting) this.#calm(running)
  }

  missed(): void {
    this.#runningBeside = []
    this.#calmSinceMs = this.#now()
  }

  /** The engine was restarted, perhaps with other options. */
  #forget(): void {
    this.value = this.#slots
    this.#limit = this.#slots
    this.#step = 1
    this.#calmMs = CALM_MS
    this.#isTrial = false
  }

  /** What a trial has caused is ended at once. */
  #isLasting(): boolean {
    return this.#runningBeside.length > (this.#isTrial ? 0 : 1)
  }

  #runsNoMore({ cacheUse }: EngineLoad): boolean {
    if (cacheUse === undefined) return this.#isLasting()
    if (this.#runningBeside.length < PLATEAU_READINGS) return false
    const most = Math.max(...this.#runningBeside)
    const ended = Math.max(1, Math.floor(most / RUNNING_PER_ENDED))
    return Math.min(...this.#runningBeside) >= most - ended
  }

  /** To what it runs: it still has more for a while, since leases end with their requests. */
  #lower(running: number, limit: number): void {
    const lowered = Math.max(1, Math.floor(running))
    if (lowered < this.value) {
      if (this.#isTrial) this.#calmMs = Math.min(2 * this.#calmMs, CALM_MS_MAX)
      if (!this.#isLowered) this.#limit = Math.max(1, Math.floor(limit))
      this.value = lowered
      this.#isLowered = true
    }
    this.#isTrial = false
    this.#step = 1
    this.#calmSinceMs = this.#now()
  }

  #calm(running: number): void {
    this.#isLowered = false
    if (running >= this.value && this.#isTrial) {
      this.#isTrial = false
      this.#calmMs = CALM_MS
      if (this.value > this.#limit) this.#step *= 2
    }
    const recovered = Math.ceil(this.#limit * RECOVERED)
    const isRecovering = this.value < recovered
    const calmMs = isRecovering ? RECOVERY_MS : this.#calmMs
    if (this.value >= this.#slots || this.#now() - this.#calmSinceMs < calmMs) return
    const raised = isRecovering ? Math.min(2 * this.value, recovered) : this.value + this.#step
    this.value = Math.min(raised, this.#slots)
    this.#isTrial = true
    this.#calmSinceMs = this.#now()
  }
}
