import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { ResponseReader, type ResponseHandler } from './response-reader.ts'

/** What becomes of an exchange. After its end, or an error, nothing more is told. */
export type ExchangeHandler = {
  onStatus(status: number): void
  /** What stands from `start` to `end` in the bytes, which are the handler's only for the call. */
  onData(bytes: Buffer, start: number, end: number): void
  onEnd(): void
  onError(cause: unknown): void
}

/** An exchange that has begun. Once it is over, none of these does anything. */
export type Exchange = {
  pause(): void
  resume(): void
  /** Closes its connection, and tells its handler nothing more. */
  abort(): void
}

/** The connections to one server. There are as many as exchanges at the same time. */
export type Connections = {
  /** Sends a request as it is written, and reads its response. */
  begin(request: string, handler: ExchangeHandler): Exchange
  /** Exchanges that are under way end with an error. */
  close(): void
}

const CONNECT_TIMEOUT_MS = 3_000

/** Servers close what was idle for five seconds, as a rule: a request had better not meet that. */
const IDLE_MS = 4_000
const SWEEP_MS = 1_000

/**
 * Every socket is read into this one buffer, since what one brings is taken before the next is
 * read. Node would otherwise make a new one for every read.
 */
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** Without `keepAlive` none is used twice, whatever the server announces. */
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
      // The one that was used last is the least likely to be closed by its other end.
      const connection = idle.pop() ?? new Connection(target, owner)
      busy.add(connection)
      return connection.begin(request, handler)
    },
    close() {
      clearInterval(sweep)
      for (const connection of [...idle, ...busy]) connection.fail(new Error('closed by us'))
    },
  }
}

type Owner = {
  readonly keepAlive: boolean
  onFree(connection: Connection): void
  onClosed(connection: Connection): void
}

/** A connection that carries one exchange after the other. */
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

  carries(exchange: RunningExchange): boolean {
    return this.#running === exchange
  }

  /** From the next read on. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#socket.resume()
  }

  /** Closes it, and tells nobody. */
  drop(): void {
    this.#running = undefined
    this.#owner.onClosed(this)
    this.#socket.destroy()
  }

  /** Closes it, and tells the exchange that it carries. */
  fail(cause: unknown): void {
    const exchange = this.#running
    this.drop()
    exchange?.handler.onError(cause)
  }

  /** The response of its exchange has come. */
  free(reusable: boolean): void {
    this.#running = undefined
    // What is not yet sent is a request that was answered without being read.
    if (reusable && this.#owner.keepAlive && this.#socket.writableLength === 0) {
      this.freeSinceMs = performance.now()
      if (this.#paused) this.resume()
      this.#owner.onFree(this)
    } else this.drop()
  }

  #read(bytes: Buffer, end: number): void {
    try {
      // Nobody asked for anything.
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

/** An exchange, for as long as its connection carries it. */
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
    // One read may bring more than was wanted.
    if (this.#connection.carries(this)) this.handler.onData(bytes, start, end)
  }

  onEnd(reusable: boolean): void {
    if (!this.#connection.carries(this)) return
    this.#connection.free(reusable)
    this.handler.onEnd()
  }

  pause(): void {
    if (this.#connection.carries(this)) this.#connection.pause()
  }

  resume(): void {
    if (this.#connection.carries(this)) this.#connection.resume()
  }

  abort(): void {
    if (this.#connection.carries(this)) this.#connection.drop()
  }
}

/** As many bytes as characters: then it need not be encoded. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** Whether more is wanted. */
type OnBytes = (bytes: Buffer, end: number) => boolean

function openSocket(url: URL, onBytes: OnBytes): Socket {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const socket = isSecure
    ? connectSecurely({
        host,
        port,
        // An address is not a name that a server could be asked for.
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
  // Flowing from the start, so that going on after a pause is a call to the kernel and no more.
  else socket.resume()
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  const slow = setTimeout(() => {
    socket.destroy(new Error('no connection in time'))
  }, CONNECT_TIMEOUT_MS)
  socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(slow))
  socket.once('close', () => clearTimeout(slow))
  return socket
}
