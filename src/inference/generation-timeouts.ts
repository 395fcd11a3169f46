import { EngineError, type StopListener, type StopSignal } from '../engines/adapters/engine.ts'

/** How long an engine may take. Only pieces count; pings and comments do not reset a timeout. */
export type TimeLimits = {
  readonly firstTokenMs: number
  readonly idleMs: number
  readonly totalMs: number
}

/** An engine that has finished has nothing left to compute. */
const END_TIMEOUT_MS = 2_000
const END_MISSING = 'no end marker in time'

const monotonicMs = () => performance.now()

/** Aborts a generation when the client disconnects or a time limit is exceeded. */
export class GenerationTimeouts implements Disposable, StopListener {
  readonly signal = new Cancellation()
  readonly #limits: TimeLimits
  readonly #client: StopSignal
  readonly #engine: string
  readonly #now: () => number
  readonly #startMs: number
  #hasBegun = false
  /** Since when the engine's next piece is awaited. */
  #awaitedSinceMs = Infinity
  /** Since when the client is awaited, and for how long it was before that. */
  #behindSinceMs = Infinity
  #behindMs = 0
  #finishedMs = Infinity
  #exceeded: string | undefined
  /** One for all limits. While the client is awaited, it comes back once per idle time. */
  #timer: NodeJS.Timeout | undefined

  constructor(limits: TimeLimits, client: StopSignal, engine: string, now = monotonicMs) {
    this.#limits = limits
    this.#client = client
    this.#engine = engine
    this.#now = now
    this.#startMs = now()
    if (client.aborted) this.handleEvent()
    client.addEventListener('abort', this)
    this.#check()
  }

  /** Call when pieces arrived. Until `resumeIdle`, delays are the client's, not the engine's. */
  pauseIdle(): void {
    this.#awaitedSinceMs = Infinity
    this.#behindSinceMs = this.#now()
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#check()
  }

  resumeIdle(): void {
    const nowMs = this.#now()
    this.#awaitedSinceMs = nowMs
    this.#behindMs += Math.max(0, nowMs - this.#behindSinceMs)
    this.#behindSinceMs = Infinity
  }

  /** Call after the last piece: only the end marker is missing, and it must follow soon. */
  expectEnd(): void {
    if (this.#finishedMs !== Infinity) return
    this.#finishedMs = this.#now()
    this.#check()
  }

  /** Whether the generation was aborted because the end marker was missing. */
  get isEndMissing(): boolean {
    return this.#exceeded === END_MISSING
  }

  /** The client disconnected. */
  handleEvent(): void {
    this.signal.abort(this.#client.reason)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#client.removeEventListener('abort', this)
  }

  /** Aborts if a limit is exceeded. Otherwise comes back when the next one could be. */
  #check(): void {
    clearTimeout(this.#timer)
    const nowMs = this.#now()
    const [limit, dueMs] = this.#limitsAt(nowMs).reduce((a, b) => (b[1] < a[1] ? b : a))
    if (dueMs > nowMs) {
      this.#timer = setTimeout(() => this.#check(), Math.ceil(dueMs - nowMs))
      return
    }
    this.#exceeded = limit
    this.signal.abort(new EngineError('transport', this.#engine, limit))
  }

  #limitsAt(nowMs: number): [Limit, ...Limit[]] {
    const { firstTokenMs, idleMs, totalMs } = this.#limits
    const behindMs = this.#behindMs + Math.max(0, nowMs - this.#behindSinceMs)
    return [
      ['not finished in time', this.#startMs + behindMs + totalMs],
      this.#hasBegun
        ? ['no further piece in time', Math.min(this.#awaitedSinceMs, nowMs) + idleMs]
        : ['no first token in time', this.#startMs + firstTokenMs],
      [END_MISSING, this.#finishedMs + END_TIMEOUT_MS],
    ]
  }
}

/** What is reported if it is exceeded, and when it is. */
type Limit = readonly [exceeded: string, dueMs: number]

/** A signal for one listener. An AbortController with a listener takes 500 bytes, this one 50. */
class Cancellation implements StopSignal {
  aborted = false
  reason: unknown
  #listener: StopListener | undefined

  addEventListener(_type: 'abort', listener: StopListener): void {
    if (this.#listener !== undefined) throw new Error('a second listener')
    this.#listener = listener
  }

  removeEventListener(_type: 'abort', listener: StopListener): void {
    if (this.#listener === listener) this.#listener = undefined
  }

  /** Only the first call has an effect. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listener = this.#listener
    this.#listener = undefined
    listener?.handleEvent()
  }
}
