import type { ReadPauses, PausedReader } from './read-pauses.ts'

/** Controls a producer of bytes. */
export type Flow = {
  pause(): void
  resume(): void
  /** The rest is not needed. */
  abort(): void
}

/** Makes batches of a body as it arrives. What it throws ends the iteration over them. */
export type BodyReader<Batch> = {
  /** Takes the bytes from `start` to `end`, which are valid only during the call. */
  take(bytes: Buffer, start: number, end: number): void
  /** What was made of the bytes since the last batch; undefined if there is nothing yet. */
  takeBatch(): Batch | undefined
  /** Whether the rest of the body is not needed. */
  isOver(): boolean
  /** The body has ended, after its last batch. */
  onEnd(): void
}

/** A body as it arrives. */
export type Bytes = {
  /**
   * Passes everything to the reader, at the moment at which it arrives. Each iteration ends when a
   * network read has brought a batch.
   */
  read<Batch>(reader: BodyReader<Batch>): AsyncIterable<Batch>
  /** From here on, reads may be paused. */
  allowPauses(pauses: ReadPauses): void
}

/** Beyond this backlog reads are paused, which eventually throttles the engine. */
const PENDING_BYTES_MAX = 65_536

type Failure = { readonly error: unknown }
type Turn = IteratorResult<unknown, undefined>

/**
 * Passes bytes from network callbacks to an async loop. Node's streams do the same at several times
 * the cost, for every token of every generation.
 */
export class ByteSource implements Bytes, PausedReader, AsyncIterator<unknown, undefined> {
  readonly #flow: Flow
  /** Copies of what arrived before anyone read. */
  #early: Buffer[] | undefined = []
  #reader: BodyReader<unknown> | undefined
  #pendingBytes = 0
  #ended = false
  #failure: Failure | undefined
  /** What the reader threw. */
  #refusal: Failure | undefined
  #waiting: PromiseWithResolvers<Turn> | undefined
  #pauses: ReadPauses | undefined
  #pausedFor = false
  #paused = false

  constructor(flow: Flow) {
    this.#flow = flow
  }

  read<Batch>(reader: BodyReader<Batch>): AsyncIterable<Batch> {
    const early = this.#early ?? []
    this.#early = undefined
    this.#reader = reader
    for (const bytes of early) this.#pass(bytes, 0, bytes.length)
    return this as AsyncIterable<unknown> as AsyncIterable<Batch>
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  allowPauses(pauses: ReadPauses): void {
    this.#pauses = pauses
  }

  next(): Promise<Turn> {
    this.#waiting = Promise.withResolvers<Turn>()
    const { promise } = this.#waiting
    this.#serve()
    return promise
  }

  return(): Promise<Turn> {
    if (!this.#hasEnded()) this.#flow.abort()
    return Promise.resolve(END)
  }

  push(bytes: Buffer, start: number, end: number): void {
    // A copy, because the read buffer is shared by all connections.
    if (this.#early !== undefined) this.#early.push(Buffer.from(bytes.subarray(start, end)))
    else this.#pass(bytes, start, end)
    // Asked once for all bytes of one read.
    if (this.#pendingBytes === 0) this.#pausedFor ||= this.#pauses?.pause(this) === true
    this.#pendingBytes += end - start
    this.#regulate()
  }

  /** A network read is over, so that one read is one iteration. */
  endRead(): void {
    this.#serve()
  }

  end(): void {
    this.#ended = true
    this.#serve()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#serve()
  }

  resumeReads(): void {
    this.#pausedFor = false
    this.#regulate()
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (this.#refusal !== undefined) return
    try {
      this.#reader?.take(bytes, start, end)
    } catch (error) {
      if (!this.#hasEnded()) this.#flow.abort()
      this.#refusal = { error }
    }
  }

  #hasEnded(): boolean {
    return this.#ended || this.#failure !== undefined || this.#refusal !== undefined
  }

  /** Gives the waiting loop what there is for it. */
  #serve(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#pendingBytes = 0
    try {
      const turn = this.#turn()
      if (turn !== undefined) {
        this.#waiting = undefined
        waiting.resolve(turn)
      }
    } catch (error) {
      this.#waiting = undefined
      waiting.reject(error)
    }
    // Last, because resuming may push more data, and pause again, before this returns.
    this.#regulate()
  }

  #turn(): Turn | undefined {
    if (this.#refusal !== undefined) throw this.#refusal.error
    const value = this.#reader?.takeBatch()
    if (value !== undefined) return { done: false, value }
    if (this.#reader?.isOver() === true) {
      if (!this.#hasEnded()) this.#flow.abort()
      return END
    }
    if (this.#failure !== undefined) throw this.#failure.error
    if (!this.#ended) return undefined
    this.#reader?.onEnd()
    const last = this.#reader?.takeBatch()
    return last === undefined ? END : { done: false, value: last }
  }

  #regulate(): void {
    const paused = this.#pausedFor || this.#pendingBytes > PENDING_BYTES_MAX
    if (paused === this.#paused) return
    this.#paused = paused
    if (paused) this.#flow.pause()
    else this.#flow.resume()
  }
}

const END = { done: true, value: undefined } as const
