import { ByteSource, type BodyReader, type Bytes } from '../wire/byte-source.ts'
import {
  openConnections,
  type Connections,
  type Exchange,
  type ExchangeHandler,
  type HttpRequest,
} from '../wire/connections.ts'
import {
  EngineError,
  type EngineErrorKind,
  type EngineOptions,
  type StopListener,
  type StopSignal,
} from './engine.ts'

/** Differences between engines at the HTTP level. */
export type UpstreamTraits = {
  /** False for a server that closes the connection after each response. */
  readonly keepAlive: boolean
  /** How a request and a metric name a rank of the server, for a kind that has ranks. */
  readonly ranks?: RankNames | undefined
  /** The kind of error that this status and body mean. */
  errorKindOf(status: number, body: string): EngineErrorKind
}

/** By a header or by a member of the body. */
export type RankNames = {
  readonly header?: string
  readonly member?: string
  readonly label: string
}

export type Upstream = {
  /** Resolves with the response body when the engine responds 200. */
  post(path: string, body: object, signal: StopSignal, options?: PostOptions): Promise<Bytes>
  /** The number in `member` of a JSON response. */
  count(path: string, body: object, member: string, signal: StopSignal): Promise<number>
  /** Asks for JSON outside of clients' requests. */
  asking(signal: StopSignal): Ask
  /** The same by GET. */
  readNumber(path: string, member: string, signal: StopSignal): Promise<number>
  /** A page of text, such as metrics; its end is missing if it is very long. */
  readPage(path: string, signal: StopSignal): Promise<string>
  close(): void
}

export type PostOptions = {
  /** Called when the whole request has been written. */
  readonly onSent?: (() => void) | undefined
  /** Sent as a header. */
  readonly traceparent?: string | undefined
}

type Method = 'GET' | 'POST'

/** Throws an EngineError unless the engine responds 200 with JSON. */
export type Ask = (method: Method, path: string, body?: object) => Promise<unknown>

/** Counting needs no slot. Beyond this limit, generating is better than counting. */
const CONCURRENT_COUNTS_MAX = 16
/** Limit for an error body. */
const ERROR_BYTES_MAX = 65_536
/** vLLM and SGLang return the id of every token: 8 bytes for each of a million. */
const COUNT_BYTES_MAX = 8_388_608
/** A tokenizer's configuration with its template, or the pieces of 32,768 tokens. */
const ANSWER_BYTES_MAX = 16_777_216
/** Histograms of many models are long. */
const PAGE_BYTES_MAX = 4_194_304

export function connectUpstream(options: EngineOptions, traits: UpstreamTraits): Upstream {
  const { name, url } = options
  const connections = openConnections(url, traits.keepAlive)
  const head = headOf(options, traits)
  let counting = 0

  /** Not async: a suspended function would keep the request in memory until the response. */
  function send(
    method: Method,
    path: string,
    json: string,
    signal: StopSignal,
    { onSent, traceparent }: PostOptions = {},
  ): Promise<Bytes> {
    // The client may have disconnected while it waited for a slot.
    if (signal.aborted) return Promise.reject(signal.reason)
    const traced = traceparent === undefined ? '' : `\r\ntraceparent: ${traceparent}`
    const bytes = Buffer.byteLength(json)
    const request = {
      head: `${method} ${path}${head}${bytes}${traced}\r\n\r\n`,
      body: json,
      isAscii: bytes === json.length,
    }
    const status = Promise.withResolvers<Response>()
    void new ReceivedResponse(connections, request, name, signal, onSent, status)
    return accept(status.promise)
  }

  async function accept(response: Promise<Response>): Promise<Bytes> {
    const { status, bytes } = await response
    if (status === 200) return bytes
    const kind = errorKind(status, await readUpTo(ERROR_BYTES_MAX, bytes), traits)
    throw new EngineError(kind, name, `responded ${status}`)
  }

  const post: Upstream['post'] = (path, body, signal, more) =>
    send('POST', path, JSON.stringify(body), signal, more)

  return {
    post,
    asking: (signal) => async (method, path, body) => {
      const json = body === undefined ? '' : JSON.stringify(body)
      const response = await readUpTo(ANSWER_BYTES_MAX, await send(method, path, json, signal))
      return parseAnswer(response, name)
    },
    close: () => connections.close(),
    async count(path, body, member, signal) {
      if (counting >= CONCURRENT_COUNTS_MAX)
        throw new EngineError('busy', name, 'too many concurrent token counts')
      counting += 1
      try {
        const response = await readUpTo(COUNT_BYTES_MAX, await post(path, body, signal))
        return numberIn(response, member, name)
      } finally {
        counting -= 1
      }
    },
    async readNumber(path, member, signal) {
      const response = await send('GET', path, '', signal)
      return numberIn(await readUpTo(COUNT_BYTES_MAX, response), member, name)
    },
    async readPage(path, signal) {
      return readUpTo(PAGE_BYTES_MAX, await send('GET', path, '', signal))
    },
  }
}

/**
 * The request head between the path and the value of Content-Length. Client headers are never
 * forwarded: some change what an engine does or stores.
 */
function headOf({ url, apiKey, rank }: EngineOptions, traits: UpstreamTraits): string {
  const { keepAlive, ranks } = traits
  const fields = [' HTTP/1.1', `host: ${new URL(url).host}`, 'content-type: application/json']
  if (apiKey !== undefined) fields.push(`authorization: Bearer ${apiKey}`)
  if (rank !== undefined && ranks?.header !== undefined) fields.push(`${ranks.header}: ${rank}`)
  fields.push(`connection: ${keepAlive ? 'keep-alive' : 'close'}`, 'content-length: ')
  return fields.join('\r\n')
}

type Response = { readonly status: number; readonly bytes: Bytes }

/** Passes a response from the network to its reader, with callbacks instead of streams. */
class ReceivedResponse implements ExchangeHandler, StopListener {
  readonly #engine: string
  readonly #signal: StopSignal
  readonly #running: Exchange
  readonly #source: ByteSource
  readonly #onSent: (() => void) | undefined
  /** Until there is a status or an error. */
  #status: PromiseWithResolvers<Response> | undefined

  constructor(
    connections: Connections,
    request: HttpRequest,
    engine: string,
    signal: StopSignal,
    onSent: (() => void) | undefined,
    status: PromiseWithResolvers<Response>,
  ) {
    this.#status = status
    this.#engine = engine
    this.#signal = signal
    this.#onSent = onSent
    this.#running = connections.begin(request, this)
    this.#source = new ByteSource(this.#running)
    signal.addEventListener('abort', this)
  }

  onSent(): void {
    this.#onSent?.()
  }

  onStatus(status: number): void {
    this.#status?.resolve({ status, bytes: this.#source })
    this.#status = undefined
  }

  onData(bytes: Buffer, start: number, end: number): void {
    this.#source.push(bytes, start, end)
  }

  onReadEnd(): void {
    this.#source.endRead()
  }

  onEnd(): void {
    this.#signal.removeEventListener('abort', this)
    this.#source.end()
  }

  onError(cause: unknown): void {
    const kind = this.#status === undefined ? 'transport' : 'connection'
    this.#fail(new EngineError(kind, this.#engine, 'the connection failed', cause))
  }

  handleEvent(): void {
    this.#running.abort()
    this.#fail(this.#signal.reason)
  }

  #fail(error: unknown): void {
    this.#signal.removeEventListener('abort', this)
    this.#status?.reject(error)
    this.#status = undefined
    this.#source.fail(error)
  }
}

function errorKind(status: number, body: string, traits: UpstreamTraits): EngineErrorKind {
  if (status === 401 || status === 403) return 'credentials'
  // Nothing in a client's request can cause it: we choose the path and the model.
  if (status === 404) return 'model'
  if (status === 429 || status === 503) return 'busy'
  const kind = traits.errorKindOf(status, body)
  return kind === 'status' && status < 500 ? 'refused' : kind
}

async function readUpTo(bytesMax: number, bytes: Bytes): Promise<string> {
  const text = new TextReader(bytesMax)
  for await (const _ of bytes.read(text));
  return text.toString()
}

/** Reads a text, without what follows its first bytes. */
class TextReader implements BodyReader<never> {
  readonly #bytesMax: number
  readonly #parts: Buffer[] = []
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  take(bytes: Buffer, start: number, end: number): void {
    this.#parts.push(Buffer.from(bytes.subarray(start, end)))
    this.#length += end - start
  }

  takeBatch(): undefined {}

  isOver(): boolean {
    return this.#length > this.#bytesMax
  }

  onEnd(): void {}

  toString(): string {
    return Buffer.concat(this.#parts).toString()
  }
}

function parseAnswer(response: string, engine: string): unknown {
  try {
    return JSON.parse(response)
  } catch {
    throw new EngineError('protocol', engine, 'the response is not JSON')
  }
}

function numberIn(response: string, member: string, engine: string): number {
  try {
    const value = (JSON.parse(response) as Record<string, unknown>)[member]
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  } catch {
    // Reported like a response without the number, so that the response is not quoted.
  }
  throw new EngineError('protocol', engine, 'the response has no such number')
}
