import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Call } from './call.ts'

/** A server-sent-event response that has started. Only whole events are written to it. */
export type EventStream = Disposable & {
  /** False if the client reads more slowly than events are written: then await `drained`. */
  write(events: string): boolean
  drained(): Promise<void>
  end(events: string): void
}

/** Proxies and clients close connections that are idle for a minute, some earlier. */
const KEEPALIVE_MS = 10_000
/** A client that reads nothing for this long is disconnected: it occupies an engine slot. */
const STALLED_MS = 30_000

/**
 * Starts the response. Unsent data is bounded by one batch of events and the socket's own buffers.
 * While there are no events, comments keep the connection alive; they never split an event, because
 * only whole events are written. The headers tell proxies not to buffer or compress.
 */
export function openEventStream(call: Call, comment: () => string): EventStream {
  const { response, headers, signal } = call
  headers['content-type'] = 'text/event-stream; charset=utf-8'
  headers['cache-control'] ??= 'no-cache, no-transform'
  headers['x-accel-buffering'] = 'no'
  response.writeHead(200, headers)
  // A stream may last for an hour, and nobody asks for them again.
  call.headers = {}
  const { sink, write } = openSink(response)
  const keepalive = setTimeout(() => {
    if (!sink.writableNeedDrain && !response.writableEnded) write(comment())
    keepalive.refresh()
  }, KEEPALIVE_MS)
  return {
    write(events) {
      signal.throwIfAborted()
      keepalive.refresh()
      return write(events)
    },
    drained: () => drained(sink, response, signal),
    end(events) {
      response.end(events)
    },
    [Symbol.dispose]: () => clearTimeout(keepalive),
  }
}

type Sink = { readonly sink: Writable; readonly write: (events: string) => boolean }

/**
 * Node writes a chunk of a response in three parts and sends them in a later turn. Events are most
 * of what this service writes, so their chunks are framed here and written to the socket at once.
 * This needs sent headers and an assigned socket, which a pipelined response may not have yet, and
 * HTTP/1.1, because HTTP/1.0 has no chunks. Otherwise Node writes the response.
 */
function openSink(response: ServerResponse): Sink {
  response.flushHeaders()
  const { socket, req } = response
  if (socket === null || req.httpVersion !== '1.1')
    return { sink: response, write: (events) => response.write(events) }
  return {
    sink: socket,
    write(events) {
      const bytes = Buffer.byteLength(events)
      // As many bytes as characters means ASCII, which need not be encoded.
      const encoding = bytes === events.length ? 'latin1' : 'utf8'
      return socket.write(`${bytes.toString(16)}\r\n${events}\r\n`, encoding)
    },
  }
}

async function drained(
  sink: Writable,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = () => reject(signal.reason as Error)
  // Closing the socket aborts the exchange with ClientGone.
  const stalled = setTimeout(() => response.destroy(), STALLED_MS)
  signal.addEventListener('abort', onAbort, { once: true })
  sink.once('drain', resolve)
  try {
    await promise
  } finally {
    clearTimeout(stalled)
    signal.removeEventListener('abort', onAbort)
    sink.removeListener('drain', resolve)
  }
}
