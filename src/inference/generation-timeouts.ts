import { EngineError } from '../engines/adapters/engine.ts'

/** How long an engine may take. Only pieces count; pings and comments do not reset a timeout. */
export type TimeLimits = {
  readonly firstPieceMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** Aborts a generation when the client disconnects or a time limit is exceeded. */
export type GenerationTimeouts = Disposable & {
  readonly signal: AbortSignal
  /** Call when pieces arrived. Until `resumeIdle`, delays are the client's, not the engine's. */
  pauseIdle(): void
  resumeIdle(): void
  /** Call after the last piece: only the end marker is missing, and it must follow soon. */
  expectEnd(): void
  /** Whether the generation was aborted because the end marker was missing. */
  readonly isEndMissing: boolean
}

/** An engine that has finished has nothing left to compute. */
const END_TIMEOUT_MS = 2_000

export function startGenerationTimeouts(
  limits: TimeLimits,
  client: AbortSignal,
  engine: string,
): GenerationTimeouts {
  const timeouts = new AbortController()
  const timeOut = (why: string) => timeouts.abort(new EngineError('transport', engine, why))
  const onClientAbort = () => timeouts.abort(client.reason)
  if (client.aborted) onClientAbort()
  client.addEventListener('abort', onClientAbort, { once: true })

  let idlePaused = false
  let endMissing = false
  let end: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  const first = setTimeout(() => timeOut('no first piece in time'), limits.firstPieceMs)
  const total = setTimeout(() => timeOut('not finished in time'), limits.totalMs)
  return {
    signal: timeouts.signal,
    pauseIdle() {
      idlePaused = true
      if (idle !== undefined) return
      clearTimeout(first)
      idle = setTimeout(() => {
        if (!idlePaused) timeOut('no further piece in time')
      }, limits.idleMs)
    },
    resumeIdle() {
      idlePaused = false
      idle?.refresh()
    },
    expectEnd() {
      end ??= setTimeout(() => {
        endMissing = true
        timeOut('no end marker in time')
      }, END_TIMEOUT_MS)
    },
    get isEndMissing() {
      return endMissing
    },
    [Symbol.dispose]() {
      for (const timer of [first, total, idle, end]) clearTimeout(timer)
      client.removeEventListener('abort', onClientAbort)
    },
  }
}
