import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { ResponseReader, type ResponseHandler } from './response-reader.ts'

/** Receives the events of an exchange. `onEnd` or `onError` is the last one. */
export type ExchangeHandler = {
  onStatus(status: number): void
  /** The data is `bytes` from `start` to `end`, valid only during the call. */
  onData(bytes: Buffer, start: number, end: number): void
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

/** The connections to one server, as many as there are concurrent exchanges. */
export type Connections = {
  /** Sends a complete request and reads its response. */
  begin(request: string, handler: ExchangeHandler): Exchange
  /** Running exchanges end with an error. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 3_000

/** Shorter than the usual keep-alive timeout of servers, 5 s, to avoid a race with it. */
const IDLE_MS = 4_000
const SWEEP_MS = 1_000

/**
 * Shared by all sockets, since data is consumed before the next read. Node would otherwise allocate
 * a buffer for every read.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** Without `keepAlive` every exchange uses a new connection. */
export function openConnections(url: string, keepAlive: boolean): Connections {
  const target = new URL(url)
  const idle: Connection[] = []
  const busy = new Set<Connection>()
  const owner: Owner = {
    keepAlive,
    onFree(connection) {
      busy.delete(connection)
      idle.push(connection)
    },
    onClosed(connection) {
      if (busy.delete(connection)) return
      const at = idle.indexOf(connection)
      if (at !== -1) idle.splice(at, 1)
    },
  }
  const sweep = setInterval(() => {
    const sinceMs = performance.now() - IDLE_MS
    for (const connection of idle.filter(({ freeSinceMs }) => freeSinceMs < sinceMs))
      connection.drop()
  }, SWEEP_MS)
  sweep.unref()
  return {
    begin(request, handler) {
      // The most recently used connection is the least likely to be closed by the server.
      const connection = idle.pop() ?? new Connection(target, owner)
      busy.add(connection)
      return connection.begin(request, handler)
    },
    close() {
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

  constructor(url: URL, owner: Owner) {
    this.#owner = owner
    this.#socket = openSocket(url, (bytes, end) => {
      this.#read(bytes, end)
      return !this.#paused
    })
    this.#socket.on('end', () => this.#finishReading())
    this.#socket.on('error', (cause) => this.fail(cause))
    this.#socket.on('close', () => this.fail(new Error('the connection was closed')))
  }

  begin(request: string, handler: ExchangeHandler): Exchange {
    this.#running = new RunningExchange(this, handler)
    this.#socket.write(request, isAscii(request) ? 'latin1' : 'utf8')
    return this.#running
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
    exchange?.handler.onError(cause)
  }

  /** Called when the response is complete. */
  free(reusable: boolean): void {
    this.#running = undefined
    // With unsent data, the server responded without reading the request.
    if (reusable && this.#owner.keepAlive && this.#socket.writableLength === 0) {
      this.freeSinceMs = performance.now()
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

/** An exchange while its connection runs it. */
class RunningExchange implements Exchange, ResponseHandler {
  readonly handler: ExchangeHandler
  readonly #connection: Connection
  readonly #reader: ResponseReader

  constructor(connection: Connection, handler: ExchangeHandler) {
    this.handler = handler
    this.#connection = connection
    this.#reader = new ResponseReader(this)
  }

  read(bytes: Buffer, end: number): void {
    this.#reader.read(bytes, end)
  }

  finishReading(): void {
    this.#reader.end()
  }

  onStatus(status: number): void {
    this.handler.onStatus(status)
  }

  onData(bytes: Buffer, start: number, end: number): void {
    // The exchange may have been aborted earlier in the same read.
    if (this.#connection.isRunning(this)) this.handler.onData(bytes, start, end)
  }

  onEnd(reusable: boolean): void {
    if (!this.#connection.isRunning(this)) return
    this.#connection.free(reusable)
    this.handler.onEnd()
  }

  pause(): void {
    if (this.#connection.isRunning(this)) this.#connection.pause()
  }

  resume(): void {
    if (this.#connection.isRunning(this)) this.#connection.resume()
  }

  abort(): void {
    if (this.#connection.isRunning(this)) this.#connection.drop()
  }
}

/** ASCII need not be encoded as UTF-8. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Returns false to pause reading. */
type OnBytes = (bytes: Buffer, end: number) => boolean

function openSocket(url: URL, onBytes: OnBytes): Socket {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const socket = isSecure
    ? connectSecurely({
        host,
        port,
        // SNI does not allow IP addresses.
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['http/1.1'],
      })
    : connect({
        host,
        port,
        onread: { buffer: readBuffer, callback: (length) => onBytes(readBuffer, length) },
      })
  if (isSecure)
    socket.on('data', (bytes: Buffer) => void (onBytes(bytes, bytes.length) || socket.pause()))
  // Flowing from the start, so that resuming after a pause is a single system call.
  else socket.resume()
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  const timeout = setTimeout(() => {
    socket.destroy(new Error('connect timeout'))
  }, CONNECT_TIMEOUT_MS)
  socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timeout))
  socket.once('close', () => clearTimeout(timeout))
  return socket
}
