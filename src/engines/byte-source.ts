import type { Cadence } from './cadence.ts'

/** How a producer of bytes is slowed down and stopped. */
export type Flow = {
  pause(): void
  resume(): void
  /** Nobody wants the rest. */
  abort(): void
}

/** A body as it arrives; each turn brings all that has come since the last one. */
export type Bytes = AsyncIterable<readonly Buffer[]> & {
  /** From here on its reader may be woken a little later, together with others. */
  pace(): void
}

/** A reader that is this far behind stops the network, and so in the end the engine. */
const PENDING_BYTES_MAX = 65_536

type Turn = IteratorResult<readonly Buffer[], undefined>

/**
 * The way of bytes from the network's callbacks to a loop that awaits them. Node's own streams do
 * the same at several times the price, which is paid for every token of every generation.
 */
export class ByteSource implements Bytes, AsyncIterator<readonly Buffer[], undefined> {
  readonly #flow: Flow
  readonly #cadence: Cadence
  #pending: Buffer[] = []
  #pendingBytes = 0
  #ended = false
  #failure: { readonly error: unknown } | undefined
  #reader: PromiseWithResolvers<Turn> | undefined
  #paced = false
  #waking = false

  constructor(flow: Flow, cadence: Cadence) {
    this.#flow = flow
    this.#cadence = cadence
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  pace(): void {
    this.#paced = true
  }

  next(): Promise<Turn> {
    if (this.#pending.length > 0) return Promise.resolve(this.#take())
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    this.#reader = Promise.withResolvers<Turn>()
    return this.#reader.promise
  }

  return(): Promise<Turn> {
    if (!this.#ended && this.#failure === undefined) this.#flow.abort()
    return Promise.resolve({ done: true, value: undefined })
  }

  push(chunk: Buffer): void {
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    if (this.#pendingBytes > PENDING_BYTES_MAX) this.#flow.pause()
    if (this.#reader === undefined || this.#waking) return
    if (!this.#paced) {
      this.#wake()
      return
    }
    this.#waking = true
    this.#cadence.wake(() => this.#wake())
  }

  end(): void {
    this.#ended = true
    this.#wake()
    this.#reader?.resolve({ done: true, value: undefined })
    this.#reader = undefined
  }

  fail(error: unknown): void {
    this.#failure = { error }
    this.#wake()
    this.#reader?.reject(error)
    this.#reader = undefined
  }

  #wake(): void {
    this.#waking = false
    if (this.#reader === undefined || this.#pending.length === 0) return
    const reader = this.#reader
    this.#reader = undefined
    reader.resolve(this.#take())
  }

  #take(): Turn {
    const value = this.#pending
    const isPaused = this.#pendingBytes > PENDING_BYTES_MAX
    this.#pending = []
    this.#pendingBytes = 0
    // Last, because what was held back may be pushed, and pause again, before this returns.
    if (isPaused) this.#flow.resume()
    return { done: false, value }
  }
}
