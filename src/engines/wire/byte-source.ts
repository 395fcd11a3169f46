import type { ReadPauses, PausedReader } from './read-pauses.ts'

/** Controls a producer of bytes. */
export type Flow = {
  pause(): void
  resume(): void
  /** The rest is not needed. */
  abort(): void
}

/** Takes the bytes from `start` to `end`, which are valid only during the call. */
export type TakeBytes = (bytes: Buffer, start: number, end: number) => void

/** A body as it arrives. */
export type Bytes = {
  /**
   * Passes everything to `take`, at the moment at which it arrives. Each iteration ends when some
   * of it has arrived since the last one. What `take` throws ends the iteration.
   */
  read(take: TakeBytes): AsyncIterable<undefined>
  /** From here on, reads may be paused. */
  allowPauses(pauses: ReadPauses): void
}

/** Beyond this backlog reads are paused, which eventually throttles the engine. */
const PENDING_BYTES_MAX = 65_536

type Failure = { readonly error: unknown }
type Turn = IteratorResult<undefined, undefined>

/**
 * Passes bytes from network callbacks to an async loop. Node's streams do the same at several times
 * the cost, for every token of every generation.
 */
export class ByteSource
  implements Bytes, PausedReader, AsyncIterable<undefined>, AsyncIterator<undefined, undefined>
{
  readonly #flow: Flow
  /** Copies of what arrived before anyone read. */
  #early: Buffer[] | undefined = []
  #take: TakeBytes | undefined
  #pendingBytes = 0
  #ended = false
  #failure: Failure | undefined
  /** What `take` threw. */
  #refusal: Failure | undefined
  #reader: PromiseWithResolvers<void> | undefined
  #pauses: ReadPauses | undefined
  #pausedFor = false
  #paused = false

  constructor(flow: Flow) {
    this.#flow = flow
  }

  read(take: TakeBytes): this {
    const early = this.#early ?? []
    this.#early = undefined
    this.#take = take
    for (const bytes of early) this.#pass(bytes, 0, bytes.length)
    return this
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  allowPauses(pauses: ReadPauses): void {
    this.#pauses = pauses
  }

  async next(): Promise<Turn> {
    if (this.#pendingBytes === 0 && !this.#isOver()) {
      this.#reader = Promise.withResolvers<void>()
      // Resumes after the network callback, so that one read is one iteration.
      await this.#reader.promise
    }
    if (this.#refusal !== undefined) throw this.#refusal.error
    if (this.#pendingBytes > 0) {
      this.#pendingBytes = 0
      // Last, because resuming may push more data, and pause again, before this returns.
      this.#regulate()
      return { done: false, value: undefined }
    }
    if (this.#failure !== undefined) throw this.#failure.error
    return { done: true, value: undefined }
  }

  return(): Promise<Turn> {
    if (!this.#isOver()) this.#flow.abort()
    return Promise.resolve({ done: true, value: undefined })
  }

  push(bytes: Buffer, start: number, end: number): void {
    // A copy, because the read buffer is shared by all connections.
    if (this.#early !== undefined) this.#early.push(Buffer.from(bytes.subarray(start, end)))
    else this.#pass(bytes, start, end)
    // Asked once for all bytes of one read.
    if (this.#pendingBytes === 0) this.#pausedFor ||= this.#pauses?.pause(this) === true
    this.#pendingBytes += end - start
    this.#wake()
    this.#regulate()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#wake()
  }

  resumeReads(): void {
    this.#pausedFor = false
    this.#regulate()
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (this.#refusal !== undefined) return
    try {
      this.#take?.(bytes, start, end)
    } catch (error) {
      if (!this.#isOver()) this.#flow.abort()
      this.#refusal = { error }
    }
  }

  #isOver(): boolean {
    return this.#ended || this.#failure !== undefined || this.#refusal !== undefined
  }

  #wake(): void {
    this.#reader?.resolve()
    this.#reader = undefined
  }

  #regulate(): void {
    const paused = this.#pausedFor || this.#pendingBytes > PENDING_BYTES_MAX
    if (paused === this.#paused) return
    this.#paused = paused
    if (paused) this.#flow.pause()
    else this.#flow.resume()
  }
}
