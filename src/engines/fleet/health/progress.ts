/** Whether an engine sends what its generations wait for. */
export type Progress = {
  readonly running: number
  /** When it last sent pieces. */
  readonly lastMs: number
  /** Since when it has sent nothing that is awaited. */
  readonly silentMs: number
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
  /** Since when a generation is read. */
  let awaitedMs = 0
  const isAwaited = () => running > paused
  const silentMs = () => Math.max(lastMs, awaitedMs)
  return {
    get running() {
      return running
    },
    get lastMs() {
      return lastMs
    },
    get silentMs() {
      return silentMs()
    },
    began() {
      if (!isAwaited()) awaitedMs = now()
      running += 1
    },
    ended: () => void (running -= 1),
    progressed: () => void (lastMs = now()),
    paused: () => void (paused += 1),
    resumed() {
      if (!isAwaited()) awaitedMs = now()
      paused -= 1
    },
    isStalled: (nowMs) => isAwaited() && nowMs - silentMs() >= STALLED_MS,
  }
}
