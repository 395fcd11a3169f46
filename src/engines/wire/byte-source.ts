import type { ReadPauses, PausedReader } from './read-pauses.ts'

/** Controls a producer of bytes. */
export type Flow = {
  pause(): void
  resume(): void
  /** The rest is not needed. */
  abort(): void
}

/** A body as it arrives; each iteration yields everything received since the last one. */
export type Bytes = AsyncIterable<readonly Buffer[]> & {
  /** From here on, reads may be paused while the process is busy (see `ReadPauses`). */
  allowPauses(): void
}

/** Beyond this backlog reads are paused, which eventually throttles the engine. */
const PENDING_BYTES_MAX = 65_536

type Turn = IteratorResult<readonly Buffer[], undefined>

/**
 * Passes bytes from network callbacks to an async loop. Node's streams do the same at several times
 * the cost, for every token of every generation.
 */
export class ByteSource
  implements Bytes, PausedReader, AsyncIterator<readonly Buffer[], undefined>
{
  readonly #flow: Flow
  readonly #readPauses: ReadPauses
  #pending: Buffer[] = []
  #pendingBytes = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #reader: PromiseWithResolvers<void> | undefined
  #pausable = false
  #pausedByLoad = false
  #paused = false

  constructor(flow: Flow, readPauses: ReadPauses) {
    this.#flow = flow
    this.#readPauses = readPauses
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  allowPauses(): void {
    this.#pausable = true
  }

  async next(): Promise<Turn> {
    if (this.#pending.length === 0 && !this.#ended && this.#failure === undefined) {
      this.#reader = Promise.withResolvers<void>()
      // Resumes after the network callback, so that one read is one iteration.
      await this.#reader.promise
    }
    if (this.#pending.length > 0) return { done: false, value: this.#take() }
    if (this.#failure !== undefined) throw this.#failure.error
    return { done: true, value: undefined }
  }

  return(): Promise<Turn> {
    if (!this.#ended && this.#failure === undefined) this.#flow.abort()
    return Promise.resolve({ done: true, value: undefined })
  }

  push(chunk: Buffer): void {
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    this.#wake()
    this.#pausedByLoad ||= this.#pausable && this.#readPauses.pause(this)
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
    this.#pausedByLoad = false
    this.#regulate()
  }

  #wake(): void {
    this.#reader?.resolve()
    this.#reader = undefined
  }

  #take(): readonly Buffer[] {
    const taken = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    // Last, because resuming may push more data, and pause again, before this returns.
    this.#regulate()
    return taken
  }

  #regulate(): void {
    const paused = this.#pausedByLoad || this.#pendingBytes > PENDING_BYTES_MAX
    if (paused === this.#paused) return
    this.#paused = paused
    if (paused) this.#flow.pause()
    else this.#flow.resume()
  }
}
