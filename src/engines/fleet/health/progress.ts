/** Whether an engine sends what its generations wait for. */
export type Progress = {
  readonly running: number
  /** When it last sent pieces. */
  readonly lastMs: number
  began(): void
  ended(): void
  progressed(): void
  paused(): void
  resumed(): void
  isStalled(nowMs: number): boolean
}

/** An engine is stalled if it sends no piece for this long to any generation that is read. */
const STALLED_MS = 20_000

/** A paused generation waits for its client, so the engine need not send anything to it. */
export function createProgress(now: () => number): Progress {
  let running = 0
  let paused = 0
  let lastMs = 0
  const isAwaited = () => running > paused
  return {
    get running() {
      return running
    },
    get lastMs() {
      return lastMs
    },
    began() {
      if (!isAwaited()) lastMs = now()
      running += 1
    },
    ended: () => void (running -= 1),
    progressed: () => void (lastMs = now()),
    paused: () => void (paused += 1),
    resumed() {
      if (!isAwaited()) lastMs = now()
      paused -= 1
    },
    isStalled: (nowMs) => isAwaited() && nowMs - lastMs >= STALLED_MS,
  }
}
