import type { ReadPauses, PausedReader } from './read-pauses.ts'

/** How a producer of bytes is slowed down and stopped. */
export type Flow = {
  pause(): void
  resume(): void
  /** Nobody wants the rest. */
  abort(): void
}

/** A body as it arrives; each turn brings all that has come since the last one. */
export type Bytes = AsyncIterable<readonly Buffer[]> & {
  /** From here on, reads may be paused while the process is busy (see `ReadPauses`). */
  allowPauses(): void
}

/** A reader that is this far behind stops the network, and so in the end the engine. */
const PENDING_BYTES_MAX = 65_536

type Turn = IteratorResult<readonly Buffer[], undefined>

/**
 * The way of bytes from the network's callbacks to a loop that awaits them. Node's own streams do
 * the same at several times the price, which is paid for every token of every generation.
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
      // Goes on after the network's callback, so that what comes in one read comes in one turn.
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
    // Last, because what was held back may be pushed, and pause again, before this returns.
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
