import type { ServerResponse } from 'node:http'

/** A server-sent-event answer that has begun. Only whole events are written to it. */
export type EventStream = Disposable & {
  /** Waits while the client does not read. */
  write(events: string): Promise<void>
  end(events: string): void
}

/** Proxies and clients give up on a connection that is silent for a minute, some earlier. */
const KEEPALIVE_MS = 10_000
/** A client that reads nothing for this long holds an engine's slot for nothing. */
const STALLED_MS = 30_000

/**
 * Begins the answer. What is not yet sent is bounded by one batch of events and the socket's own
 * buffers. In silence a comment is sent, which can only stand between events because only whole
 * events are ever written. Proxies must pass it all on unbuffered and uncompressed.
 */
export function openEventStream(
  response: ServerResponse,
  comment: () => string,
  signal: AbortSignal,
): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  const keepalive = setTimeout(() => {
    if (!response.writableNeedDrain && !response.writableEnded) response.write(comment())
    keepalive.refresh()
  }, KEEPALIVE_MS)
  return {
    async write(events) {
      signal.throwIfAborted()
      keepalive.refresh()
      if (!response.write(events)) await drained(response, signal)
    },
    end(events) {
      response.end(events)
    },
    [Symbol.dispose]: () => clearTimeout(keepalive),
  }
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = () => reject(signal.reason as Error)
  // Closing the socket makes the client one that has left.
  const stalled = setTimeout(() => response.destroy(), STALLED_MS)
  signal.addEventListener('abort', onAbort, { once: true })
  response.once('drain', resolve)
  try {
    await promise
  } finally {
    clearTimeout(stalled)
    signal.removeEventListener('abort', onAbort)
    response.removeListener('drain', resolve)
  }
}
