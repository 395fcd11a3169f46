import { EngineError } from '../engines/adapters/engine.ts'

/** How long a model's engines may take. Only pieces count: pings and comments prove nothing. */
export type TimeLimits = {
  readonly firstPieceMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** What a generation hangs by: cut when the client leaves, or when a time limit is passed. */
export type GenerationTimeouts = Disposable & {
  readonly signal: AbortSignal
  /** Pieces came. From here until `expecting` the engine is not to blame for any delay. */
  received(): void
  expecting(): void
  /** All has come but the end marker, for which nobody waits long. */
  finishing(): void
  /** Whether it was cut because the end marker did not come. */
  readonly isOverdue: boolean
}

/** An engine that has finished has nothing left to do but to say so. */
const END_MS = 2_000

export function startGenerationTimeouts(
  limits: TimeLimits,
  client: AbortSignal,
  engine: string,
): GenerationTimeouts {
  const timeouts = new AbortController()
  const cut = (why: string) => timeouts.abort(new EngineError('transport', engine, why))
  const followClient = () => timeouts.abort(client.reason)
  if (client.aborted) followClient()
  client.addEventListener('abort', followClient, { once: true })

  let expected = true
  let overdue = false
  let ending: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  const first = setTimeout(() => cut('no first piece in time'), limits.firstPieceMs)
  const total = setTimeout(() => cut('not finished in time'), limits.totalMs)
  return {
    signal: timeouts.signal,
    received() {
      expected = false
      if (idle !== undefined) return
      clearTimeout(first)
      idle = setTimeout(() => {
        if (expected) cut('no further piece in time')
      }, limits.idleMs)
    },
    expecting() {
      expected = true
      idle?.refresh()
    },
    finishing() {
      ending ??= setTimeout(() => {
        overdue = true
        cut('no end marker in time')
      }, END_MS)
    },
    get isOverdue() {
      return overdue
    },
    [Symbol.dispose]() {
      for (const timer of [first, total, idle, ending]) clearTimeout(timer)
      client.removeEventListener('abort', followClient)
    },
  }
}
