import { ByteSource, type Bytes } from '../wire/byte-source.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'
import { openConnections, type Connections } from '../wire/connections.ts'
import { EngineError, type EngineErrorKind, type EngineOptions } from './engine.ts'

/** In what engines differ below the chat convention. */
export type UpstreamTraits = {
  /** False for a server that closes after each answer whatever it announces. */
  readonly keepAlive: boolean
  /** What a refusal with this status and body means. */
  errorKindOf(status: number, body: string): EngineErrorKind
}

export type Upstream = {
  /** The response's body, once the engine has answered 200. */
  post(path: string, body: object, signal: AbortSignal): Promise<Bytes>
  /** The number that stands under `member` in a short JSON answer. */
  count(path: string, body: object, member: string, signal: AbortSignal): Promise<number>
  close(): void
}

/** Counting needs no slot. Beyond this many at once a prompt is better generated than counted. */
const COUNTS_AT_ONCE_MAX = 16
/** As much of a refusal as is read; an engine's own words are short. */
const REFUSAL_BYTES_MAX = 65_536
/** Counts of vLLM and SGLang come with the id of every token: 8 bytes for each of a million. */
const COUNT_BYTES_MAX = 8_388_608

export function connectUpstream(options: EngineOptions, traits: UpstreamTraits): Upstream {
  const { name, url, readPauses } = options
  const connections = openConnections(url, traits.keepAlive)
  const head = headOf(options, traits)
  let counting = 0

  async function post(path: string, body: object, signal: AbortSignal): Promise<Bytes> {
    // Who left while waiting for a slot must not reach the engine.
    signal.throwIfAborted()
    const json = JSON.stringify(body)
    const request = `POST ${path}${head}${Buffer.byteLength(json)}\r\n\r\n${json}`
    const { status, bytes } = await exchange(connections, request, name, readPauses, signal)
    if (status === 200) return bytes
    const kind = faultKind(status, await readUpTo(REFUSAL_BYTES_MAX, bytes), traits)
    throw new EngineError(kind, name, `answered ${status}`)
  }

  return {
    post,
    close: () => connections.close(),
    async count(path, body, member, signal) {
      if (counting >= COUNTS_AT_ONCE_MAX)
        throw new EngineError('busy', name, 'too many prompts to count')
      counting += 1
      try {
        const answer = await readUpTo(COUNT_BYTES_MAX, await post(path, body, signal))
        return numberIn(answer, member, name)
      } finally {
        counting -= 1
      }
    },
  }
}

/**
 * A request's head from after its path to before its body's length. None of the client's headers
 * is ever passed on: some change what an engine does or keeps.
 */
function headOf({ url, apiKey }: EngineOptions, { keepAlive }: UpstreamTraits): string {
  const fields = [' HTTP/1.1', `host: ${new URL(url).host}`, 'content-type: application/json']
  if (apiKey !== undefined) fields.push(`authorization: Bearer ${apiKey}`)
  fields.push(`connection: ${keepAlive ? 'keep-alive' : 'close'}`, 'content-length: ')
  return fields.join('\r\n')
}

type Answer = { readonly status: number; readonly bytes: Bytes }

/** One exchange by callbacks: no stream stands between the network and the reader. */
function exchange(
  connections: Connections,
  request: string,
  engine: string,
  readPauses: ReadPauses,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const fail = (error: unknown) => {
    signal.removeEventListener('abort', onAbort)
    reject(error)
    source.fail(error)
  }
  const begun = connections.begin(request, {
    onStatus: (status) => resolve({ status, bytes: source }),
    onData(bytes, start, end) {
      // A copy, because the network's buffer is used for others in the next moment.
      const own = Buffer.allocUnsafe(end - start)
      bytes.copy(own, 0, start, end)
      source.push(own)
    },
    onEnd() {
      signal.removeEventListener('abort', onAbort)
      source.end()
    },
    onError: (cause) => fail(new EngineError('transport', engine, 'the connection failed', cause)),
  })
  const source = new ByteSource(begun, readPauses)
  const onAbort = () => {
    begun.abort()
    fail(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return promise
}

function faultKind(status: number, body: string, traits: UpstreamTraits): EngineErrorKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 429 || status === 503) return 'busy'
  const kind = traits.errorKindOf(status, body)
  return kind === 'status' && status < 500 ? 'refused' : kind
}

async function readUpTo(bytesMax: number, bytes: Bytes): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const chunks of bytes) {
    for (const chunk of chunks) length += chunk.length
    parts.push(...chunks)
    if (length > bytesMax) break
  }
  return Buffer.concat(parts).toString()
}

function numberIn(answer: string, member: string, engine: string): number {
  try {
    const value = (JSON.parse(answer) as Record<string, unknown>)[member]
    if (typeof value === 'number') return value
  } catch {
    // The same fault as an answer without the number: its words are not repeated.
  }
  throw new EngineError('protocol', engine, 'the engine did not count')
}
