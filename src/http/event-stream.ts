import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Call } from './call.ts'

/** Renders the comment that keeps a connection alive. */
type Comments = { comment(): string }

/** Proxies and clients close connections that are idle for a minute, some earlier. */
const KEEPALIVE_MS = 10_000
/** A client that reads nothing for this long is disconnected: it occupies an engine slot. */
const STALLED_MS = 30_000

/**
 * Starts the response. Unsent data is bounded by one batch of events and the socket's own buffers.
 * While there are no events, comments keep the connection alive; they never split an event, because
 * only whole events are written. The headers tell proxies not to buffer or compress.
 */
export function openEventStream(call: Call, comments: Comments): EventStream {
  const { request, response, headers } = call
  headers['content-type'] = 'text/event-stream; charset=utf-8'
  headers['cache-control'] ??= 'no-cache, no-transform'
  headers['x-accel-buffering'] = 'no'
  response.writeHead(200, headers)
  response.flushHeaders()
  // A stream may last for an hour, and nobody asks for them again.
  call.headers = {}
  request.rawHeaders.length = 0
  forgetHead(response)
  return new EventStream(call, comments)
}

/** A server-sent-event response that has started. Only whole events are written to it. */
export class EventStream implements Disposable {
  readonly #response: ServerResponse
  readonly #signal: AbortSignal
  readonly #comments: Comments
  readonly #sink: Writable
  readonly #keepalive: NodeJS.Timeout

  constructor({ response, signal }: Call, comments: Comments) {
    this.#response = response
    this.#signal = signal
    this.#comments = comments
    this.#sink = sinkOf(response)
    this.#keepalive = setTimeout(() => this.#keepAlive(), KEEPALIVE_MS)
  }

  /** False if the client reads more slowly than events are written: then await `drained`. */
  write(events: string): boolean {
    this.#signal.throwIfAborted()
    this.#keepalive.refresh()
    return this.#send(events)
  }

  drained(): Promise<void> {
    return drained(this.#sink, this.#response, this.#signal)
  }

  end(events: string): void {
    this.#response.end(events)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#keepalive)
  }

  #keepAlive(): void {
    if (!this.#sink.writableNeedDrain && !this.#response.writableEnded)
      this.#send(this.#comments.comment())
    this.#keepalive.refresh()
  }

  #send(events: string): boolean {
    if (this.#sink === this.#response) return this.#sink.write(events)
    const bytes = Buffer.byteLength(events)
    // As many bytes as characters means ASCII, which need not be encoded.
    const encoding = bytes === events.length ? 'latin1' : 'utf8'
    return this.#sink.write(`${bytes.toString(16)}\r\n${events}\r\n`, encoding)
  }
}

/** Node keeps the text of a head that it has sent, a kilobyte, but only asks if there is one. */
function forgetHead(response: ServerResponse & { _header?: string; _headerSent?: boolean }): void {
  if (response._headerSent === true) response._header = 'sent'
}

/**
 * Node writes a chunk of a response in three parts and sends them in a later turn. Events are most
 * of what this service writes, so their chunks are framed here and written to the socket at once.
 * This needs sent headers and an assigned socket, which a pipelined response may not have yet, and
 * HTTP/1.1, because HTTP/1.0 has no chunks. Otherwise Node writes the response.
 */
function sinkOf(response: ServerResponse): Writable {
  const { socket, req } = response
  return socket === null || req.httpVersion !== '1.1' ? response : socket
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
