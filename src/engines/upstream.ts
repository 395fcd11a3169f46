import { Pool, type Dispatcher } from 'undici'
import { EngineFault, type EngineFaultKind, type EngineOptions } from './engine.ts'

/** In what engines differ below the chat convention. */
export type UpstreamTraits = {
  /** False for a server that closes after each answer whatever it announces. */
  readonly keepAlive: boolean
  /** What a refusal with this status and body means. */
  faultOf(status: number, body: string): EngineFaultKind
}

export type Upstream = {
  /** The response's body, once the engine has answered 200. */
  post(path: string, body: object, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** The number that stands under `member` in a short JSON answer. */
  count(path: string, body: object, member: string, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 3_000
/** Counting needs no slot, so a few more connections than slots are allowed. */
const SPARE_CONNECTIONS = 4
/** As much of a refusal or a count as is read; an engine's own words are short. */
const SHORT_ANSWER_BYTES_MAX = 65_536

export function connectUpstream(options: EngineOptions, traits: UpstreamTraits): Upstream {
  const { name, url, apiKey, slots } = options
  const pool = new Pool(url, {
    connections: slots + SPARE_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    // Time limits are the model's, and count pieces: bytes alone may be pings.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  // None of the client's headers is ever passed on: some change what an engine does or keeps.
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`

  async function post(path: string, body: object, signal: AbortSignal) {
    const method = 'POST'
    const sent = { method, path, headers, body: JSON.stringify(body), reset: !traits.keepAlive }
    const response = await pool.request({ ...sent, signal } as const).catch((cause: unknown) => {
      throw transportFault(name, cause, signal)
    })
    if (response.statusCode === 200) return readBody(response.body, name, signal)
    const refusal = await readShort(readBody(response.body, name, signal))
    const kind = faultKind(response.statusCode, refusal, traits)
    throw new EngineFault(kind, name, `answered ${response.statusCode}`)
  }

  return {
    post,
    close: () => pool.destroy(),
    async count(path, body, member, signal) {
      const answer = await readShort(await post(path, body, signal))
      return numberIn(answer, member, name)
    },
  }
}

function faultKind(status: number, body: string, traits: UpstreamTraits): EngineFaultKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 429 || status === 503) return 'busy'
  const kind = traits.faultOf(status, body)
  return kind === 'status' && status < 500 ? 'refused' : kind
}

async function* readBody(
  body: Dispatcher.ResponseData['body'],
  engine: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body as AsyncIterable<Uint8Array>
  } catch (cause) {
    throw transportFault(engine, cause, signal)
  }
}

async function readShort(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of bytes) {
    text += Buffer.from(chunk).toString()
    if (text.length > SHORT_ANSWER_BYTES_MAX) break
  }
  return text
}

function numberIn(answer: string, member: string, engine: string): number {
  try {
    const value = (JSON.parse(answer) as Record<string, unknown>)[member]
    if (typeof value === 'number') return value
  } catch {
    // The same fault as an answer without the number: its words are not repeated.
  }
  throw new EngineFault('protocol', engine, 'the engine did not count')
}

function transportFault(engine: string, cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  return new EngineFault('transport', engine, 'the connection failed', cause)
}
