import type { Socket } from 'node:net'
import { Roster } from '../../lib/running/roster.ts'
import { openSocket } from './open-socket.ts'
import { ResponseReader, type ResponseHandler } from './response-reader.ts'

/** Receives the events of an exchange. `onEnd` or `onError` is the last one. */
export type ExchangeHandler = {
  /** The whole request was handed to the kernel; called again if it is sent again. */
  onSent?(): void
  onStatus(status: number): void
  /** The data is `bytes` from `start` to `end`, valid only during the call. */
  onData(bytes: Buffer, start: number, end: number): void
  /** All data of one network read has been passed on. */
  onReadEnd?(): void
  onEnd(): void
  onError(cause: unknown): void
}

/** A running exchange. After its end these methods have no effect. */
export type Exchange = {
  pause(): void
  resume(): void
  /** Closes the connection without further events. */
  abort(): void
}

/** A complete request. Its head is ASCII. */
export type HttpRequest = {
  readonly head: string
  readonly body: string
  /** ASCII need not be encoded as UTF-8. */
  readonly isAscii: boolean
}

/** The connections to one server, as many as there are concurrent exchanges. */
export type Connections = {
  /** Sends a request and reads its response. */
  begin(request: HttpRequest, handler: ExchangeHandler): Exchange
  /** Running exchanges end with an error. */
  close(): void
}

/** Shorter than the usual keep-alive timeout of servers, 5 s, to avoid a race with it. */
const IDLE_MS = 4_000
const SWEEP_MS = 1_000

/** A longer body is written beside its head: joining them would copy it. */
const JOINED_CHARACTERS_MAX = 16_384

/**
 * Without `keepAlive` every exchange uses a new connection.
 *
 * A server may close a kept connection at the moment when a request is written to it. If that fails
 * before any byte of a response, the request is sent once more, on a new connection. Usually the
 * server has not read it; at worst it processes it twice, and only the second response is used.
 */
export function openConnections(
  url: string,
  keepAlive: boolean,
  now: () => number = () => performance.now(),
): Connections {
  const target = new URL(url)
  const idle: Connection[] = []
  const busy = new Roster<Connection>()
  let closed = false
  const owner: Owner = {
    keepAlive,
    onFree(connection) {
      connection.freeSinceMs = now()
      busy.remove(connection)
      idle.push(connection)
    },
    onClosed(connection) {
      if (busy.remove(connection)) return
      const at = idle.indexOf(connection)
      if (at !== -1) idle.splice(at, 1)
    },
  }
  const dropOld = () => {
    const sinceMs = now() - IDLE_MS
    // The oldest is the first.
    while (idle[0] !== undefined && idle[0].freeSinceMs < sinceMs) idle[0].drop()
  }
  const sweep = setInterval(dropOld, SWEEP_MS)
  sweep.unref()
  return {
    begin(request, handler) {
      const run = (connection: Connection, sendAgain?: () => boolean) => {
        busy.add(connection)
        exchange.start(connection, sendAgain)
        connection.run(exchange, request)
      }
      const exchange = new RunningExchange(handler)
      dropOld()
      // The most recently used connection is the least likely to be closed by the server.
      const kept = idle.pop()
      const runOnNew = () => {
        if (!closed) run(new Connection(target, owner))
        return !closed
      }
      if (kept === undefined) run(new Connection(target, owner))
      else run(kept, runOnNew)
      return exchange
    },
    close() {
      closed = true
      clearInterval(sweep)
      for (const connection of [...idle, ...busy])
        connection.fail(new Error('the connections were closed'))
    },
  }
}

type Owner = {
  readonly keepAlive: boolean
  onFree(connection: Connection): void
  onClosed(connection: Connection): void
}

/** A connection that runs one exchange at a time. */
class Connection {
  readonly #owner: Owner
  readonly #socket: Socket
  #running: RunningExchange | undefined
  #paused = false
  freeSinceMs = 0
  place = -1

  constructor(url: URL, owner: Owner) {
    this.#owner = owner
    this.#socket = openSocket(url, (length, bytes) => {
      this.#read(bytes, length)
      return !this.#paused
    })
    this.#socket.on('end', () => this.#finishReading())
    this.#socket.on('error', (cause) => this.fail(cause))
    this.#socket.on('close', () => this.fail(new Error('the connection was closed')))
  }

  run(exchange: RunningExchange, { head, body, isAscii }: HttpRequest): void {
    this.#running = exchange
    const onWritten = (error?: Error | null) => {
      if (!error) exchange.handler.onSent?.()
    }
    const encoding = isAscii ? 'latin1' : 'utf8'
    if (body.length <= JOINED_CHARACTERS_MAX) {
      this.#socket.write(head + body, encoding, onWritten)
      return
    }
    this.#socket.cork()
    this.#socket.write(head, 'latin1')
    this.#socket.write(body, encoding, onWritten)
    this.#socket.uncork()
  }

  isRunning(exchange: RunningExchange): boolean {
    return this.#running === exchange
  }

  /** Takes effect with the next read. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#socket.resume()
  }

  /** Closes the connection without events. */
  drop(): void {
    this.#running = undefined
    this.#owner.onClosed(this)
    this.#socket.destroy()
  }

  /** Closes the connection and reports the error to the running exchange. */
  fail(cause: unknown): void {
    const exchange = this.#running
    this.drop()
    exchange?.fail(cause)
  }

  /** Called when the response is complete. */
  free(reusable: boolean): void {
    this.#running = undefined
    // With unsent data, the server responded without reading the request.
    if (reusable && this.#owner.keepAlive && this.#socket.writableLength === 0) {
      if (this.#paused) this.resume()
      this.#owner.onFree(this)
    } else this.drop()
  }

  #read(bytes: Buffer, end: number): void {
    try {
      // Data without a request.
      if (this.#running === undefined) this.drop()
      else this.#running.read(bytes, end)
    } catch (cause) {
      this.fail(cause)
    }
  }

  #finishReading(): void {
    try {
      this.#running?.finishReading()
      this.drop()
    } catch (cause) {
      this.fail(cause)
    }
  }
}

/** An exchange while a connection runs it. */
class RunningExchange implements Exchange, ResponseHandler {
  readonly handler: ExchangeHandler
  readonly #reader = new ResponseReader(this)
  #connection: Connection | undefined
  #sendAgain: (() => boolean) | undefined

  constructor(handler: ExchangeHandler) {
    this.handler = handler
  }

  /** `sendAgain` runs it on another connection if nothing comes back; returns whether it did. */
  start(connection: Connection, sendAgain: (() => boolean) | undefined): void {
    this.#connection = connection
    this.#sendAgain = sendAgain
  }

  fail(cause: unknown): void {
    if (this.#sendAgain?.() !== true) this.handler.onError(cause)
  }

  read(bytes: Buffer, end: number): void {
    // Releases the request too.
    this.#sendAgain = undefined
    this.#reader.read(bytes, end)
    this.handler.onReadEnd?.()
  }

  finishReading(): void {
    this.#reader.end()
  }

  onStatus(status: number): void {
    this.handler.onStatus(status)
  }

  onData(bytes: Buffer, start: number, end: number): void {
    // The exchange may have been aborted earlier in the same read.
    if (this.#connection?.isRunning(this) === true) this.handler.onData(bytes, start, end)
  }

  onEnd(reusable: boolean): void {
    if (this.#connection?.isRunning(this) !== true) return
    this.#connection.free(reusable)
    this.handler.onEnd()
  }

  pause(): void {
    if (this.#connection?.isRunning(this) === true) this.#connection.pause()
  }

  resume(): void {
    if (this.#connection?.isRunning(this) === true) this.#connection.resume()
  }

  abort(): void {
    if (this.#connection?.isRunning(this) === true) this.#connection.drop()
  }
}
