/** How a producer of bytes is slowed down and stopped. */
export type Flow = {
  pause(): void
  resume(): void
  /** Nobody wants the rest. */
  abandon(): void
}

/** Bytes that arrive while they are being waited for, or before. */
export type ByteSource = {
  /** Each turn brings all that has come since the last one. */
  readonly chunks: AsyncIterable<readonly Uint8Array[]>
  push(chunk: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

/** A reader that is this far behind stops the network, and so in the end the engine. */
const PENDING_BYTES_MAX = 65_536

type Turn = IteratorResult<readonly Uint8Array[], undefined>

/**
 * The way of bytes from the network's callbacks to a loop that awaits them. Node's own streams do
 * the same at several times the price, which is paid for every token of every generation.
 */
export function createByteSource(flow: Flow): ByteSource {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let ended = false
  let failure: { readonly error: unknown } | undefined
  let waiting: PromiseWithResolvers<Turn> | undefined

  function take(): Turn {
    const value = pending
    pending = []
    if (pendingBytes > PENDING_BYTES_MAX) flow.resume()
    pendingBytes = 0
    return { done: false, value }
  }

  const iterator: AsyncIterator<readonly Uint8Array[], undefined> = {
    next() {
      if (pending.length > 0) return Promise.resolve(take())
      if (failure !== undefined) return Promise.reject(failure.error)
      if (ended) return Promise.resolve({ done: true, value: undefined })
      waiting = Promise.withResolvers<Turn>()
      return waiting.promise
    },
    return() {
      if (!ended && failure === undefined) flow.abandon()
      return Promise.resolve({ done: true, value: undefined })
    },
  }

  return {
    chunks: { [Symbol.asyncIterator]: () => iterator },
    push(chunk) {
      pending.push(chunk)
      pendingBytes += chunk.length
      if (pendingBytes > PENDING_BYTES_MAX) flow.pause()
      waiting?.resolve(take())
      waiting = undefined
    },
    end() {
      ended = true
      waiting?.resolve({ done: true, value: undefined })
      waiting = undefined
    },
    fail(error) {
      failure = { error }
      waiting?.reject(error)
      waiting = undefined
    },
  }
}
