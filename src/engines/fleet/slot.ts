import type { Member } from './member.ts'
import { classifyFault } from './health/classify-fault.ts'
import type { GenerationTimer } from './figures/engine-figures.ts'
import { EngineError, type Engine, type Generation, type StopSignal } from '../adapters/engine.ts'
import type { PieceBatch, TokenCounts } from '../adapters/piece.ts'
import type { ModelPool, SlotRequest, Taken } from './model-pool.ts'
import type { Place } from './caches/slot-table.ts'

/** The right to run one generation. Disposing it releases the slot. */
export type Slot = Disposable & {
  /** The current engine; it changes when the slot moves. */
  readonly engine: Engine
  /** The virtual time from which its use counts, for the settlement. */
  readonly startTag: number
  /** How many engines it has been on; several workers of one count as several. */
  readonly attempts: number
  /** Whether the current engine has the whole request and did not fail: it has begun the prompt. */
  readonly isSent: boolean
  /** Starts the generation on the current engine. */
  generate(generation: Generation, signal: StopSignal): Promise<AsyncIterable<PieceBatch>>
  /** The engine sent pieces, and its counts so far if it reports them. */
  progressed(counts?: TokenCounts): void
  /** Awaits a client that reads too slowly. Meanwhile the engine is not expected to send. */
  awaitClient(reading: Promise<void>): Promise<void>
  succeeded(): void
  /** The engine counted tokens beyond what the request can use. */
  exceeded(tokens: number): void
  /**
   * Reports an error. With `mayMove`, while nothing has been sent to the client, the generation
   * can be retried: resolves to whether the slot has moved to another engine.
   */
  failed(error: EngineError, mayMove: boolean): Promise<boolean>
}

/** A generation that crashed two engines is not sent to a third; wrong settings are no crash. */
const ENGINES_TRIED_MAX = 2

export type SlotEvents = {
  /** A generation on the engine ended. */
  readonly release: (member: Member) => void
  /** The request is over. */
  readonly released: (used: TokenCounts | undefined) => void
  /** Starts to measure a generation. */
  readonly timerOf: (member: Member) => GenerationTimer
  readonly onError: (error: EngineError) => void
  readonly onExcess: (engine: string, tokens: number) => void
}

export function createSlot(
  pool: Pick<ModelPool, 'takeOther'>,
  request: SlotRequest,
  taken: Taken,
  events: SlotEvents,
): Slot {
  return new HeldSlot(pool, request, taken, events)
}

class HeldSlot implements Slot {
  readonly startTag: number
  isSent = false
  readonly #pool: Pick<ModelPool, 'takeOther'>
  readonly #request: SlotRequest
  readonly #events: SlotEvents
  readonly #tried: Member[]
  /** When the current engine was asked, until its first tokens. */
  #askedMs: number | undefined
  #current: Member
  #released = false
  #failures = 0
  #place: Place | undefined
  /** Until then the engine runs the generation, although its client has left. */
  #left: Promise<void> | undefined
  #used: TokenCounts | undefined
  #timer: GenerationTimer | undefined

  constructor(
    pool: Pick<ModelPool, 'takeOther'>,
    request: SlotRequest,
    { member, startTag }: Taken,
    events: SlotEvents,
  ) {
    this.startTag = startTag
    this.#pool = pool
    this.#request = request
    this.#events = events
    this.#tried = [member]
    this.#current = member
  }

  get engine(): Engine {
    return this.#current.engine
  }

  get attempts(): number {
    return this.#tried.length
  }

  async generate(generation: Generation, signal: StopSignal): Promise<AsyncIterable<PieceBatch>> {
    const { engine, table } = this.#current
    const taken = table?.take(this.#request)
    // Only a table that processes share is awaited.
    this.#place = taken instanceof Promise ? await taken : taken
    this.#askedMs = performance.now()
    this.#timer = this.#events.timerOf(this.#current)
    const onSent = () => void (this.isSent = true)
    const onLeft = (ended: Promise<void>) => void (this.#left = ended)
    return engine.generate(generation, signal, { use: this.#place?.use, onSent, onLeft })
  }

  progressed(counts?: TokenCounts): void {
    const { health } = this.#current
    health.progressed()
    if (this.#askedMs !== undefined) {
      const uncachedTokens = counts && counts.promptTokens - counts.cachedTokens
      const tookMs = performance.now() - this.#askedMs
      health.answered(tookMs, uncachedTokens, this.#request.organizationId)
      this.#askedMs = undefined
    }
    this.#used = counts ?? this.#used
    this.#timer?.progressed()
    this.#place?.progressed()
  }

  async awaitClient(reading: Promise<void>): Promise<void> {
    const { health } = this.#current
    health.paused()
    try {
      await reading
    } finally {
      health.resumed()
    }
  }

  succeeded(): void {
    // Before the client knows: its next request may come through another process.
    this.#releasePlace(true)
    this.#timer?.succeeded(this.#used)
    this.#current.health.succeeded()
  }

  exceeded(tokens: number): void {
    this.#events.onExcess(this.engine.name, tokens)
  }

  async failed(error: EngineError, mayMove: boolean): Promise<boolean> {
    this.#events.onError(error)
    this.isSent = false
    this.#current.health.failed(error, this.#request.organizationId)
    const fault = classifyFault(error)
    if (fault !== 'misconfigured') this.#failures += 1
    // The engine did no work for it, so the load is not doubled.
    const isFree = fault === 'misconfigured' || fault === 'refused' || error.kind === 'refused'
    const retry = mayMove && isRetryable(error) && this.#failures < ENGINES_TRIED_MAX
    const tried = new Set(this.#tried)
    const taking = retry ? this.#pool.takeOther(this.#request, tried, isFree) : undefined
    const other = (await taking) ?? (retry ? this.#sameAgain() : undefined)
    if (other === undefined || this.#released) {
      if (other !== undefined && other !== this.#current) this.#events.release(other)
      this[Symbol.dispose]()
      return false
    }
    this.#releasePlace(false)
    if (other !== this.#current) this.#events.release(this.#current)
    this.#tried.push(other)
    this.#current = other
    return true
  }

  /** Behind a router a new connection leads to another worker, once; the slot is kept. */
  #sameAgain(): Member | undefined {
    const isFirst = this.#tried.length === 1
    return isFirst && this.engine.workers === 'many' ? this.#current : undefined
  }

  [Symbol.dispose](): void {
    if (this.#released) return
    this.#released = true
    this.#events.released(this.#used)
    this.#releasePlace(false)
    const release = () => this.#events.release(this.#current)
    if (this.#left === undefined) release()
    else void this.#left.then(release)
  }

  #releasePlace(ended: boolean): void {
    this.#place?.release(ended)
    this.#place = undefined
  }
}

/** Another engine may accept what one refused: the request is valid. */
function isRetryable(error: EngineError): boolean {
  return classifyFault(error) !== undefined || error.kind === 'busy' || error.kind === 'refused'
}
