import type { EngineLoad } from '../../adapters/engine.ts'

/** How many requests one engine is given at once, found by what waits inside it. */
export type EngineCapacity = {
  readonly value: number
  /** Learns what the engine reports. */
  read(load: EngineLoad): void
  /** The engine did not report: what was found stays. */
  missed(): void
}

/** How long nothing waits inside before one more request is tried. */
const CALM_MS = 5_000
/** The longest such time, after one more was too many several times in a row. */
const CALM_MS_MAX = 80_000
/**
 * A request that has just come waits until the engine's next step. So many of those that run may
 * wait like that, and those that wait at one reading only do not count at all.
 */
const RUNNING_PER_ARRIVING = 32

/**
 * An engine that lets requests wait inside has more than it can run. Its capacity is lowered by as
 * many, and raised by one after some time without. A capacity that was too much when it was tried
 * is tried again after twice the time, so that few requests wait inside because of the trials.
 */
export function createEngineCapacity(
  slots: number,
  found: number = slots,
  now: () => number = () => performance.now(),
): EngineCapacity {
  let value = Math.max(1, Math.min(found, slots))
  let calmMs = CALM_MS
  let calmSinceMs = now()
  let waitingBefore = 0
  /** Whether the last change was a raise, and the engine did not yet run so many. */
  let isTrial = false

  function lower({ running, waiting }: EngineLoad): void {
    // Leases end only with their requests, so the engine may still have more than its capacity.
    const isFull = running + waiting >= value
    const lowered = isFull ? Math.floor(running) : value - Math.ceil(waiting)
    if (lowered < value && isTrial) calmMs = Math.min(2 * calmMs, CALM_MS_MAX)
    value = Math.max(1, Math.min(value, lowered))
    isTrial = false
    calmSinceMs = now()
  }

  function raise(): void {
    if (value >= slots || now() - calmSinceMs < calmMs) return
    value += 1
    isTrial = true
    calmSinceMs = now()
  }

  return {
    get value() {
      return value
    },
    read({ running, waiting }) {
      const arriving = Math.floor(running / RUNNING_PER_ARRIVING)
      const excess = Math.max(0, waiting - arriving)
      // What a trial has caused is ended at once.
      const lasting = isTrial ? excess : Math.min(excess, waitingBefore)
      waitingBefore = excess
      if (lasting > 0) lower({ running, waiting: lasting })
      if (excess > 0) return
      if (running >= value && isTrial) {
        isTrial = false
        calmMs = CALM_MS
      }
      raise()
    },
    missed() {
      waitingBefore = 0
      calmSinceMs = now()
    },
  }
}
