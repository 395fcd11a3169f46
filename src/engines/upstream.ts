import { Pool, type Dispatcher } from 'undici'
import { ByteSource, type Bytes } from './byte-source.ts'
import type { Cadence } from './cadence.ts'
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
  post(path: string, body: object, signal: AbortSignal): Promise<Bytes>
  /** The number that stands under `member` in a short JSON answer. */
  count(path: string, body: object, member: string, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 3_000
/** Counting needs no slot, so a few more connections than slots are allowed. */
const SPARE_CONNECTIONS = 4
/** As much of a refusal as is read; an engine's own words are short. */
const REFUSAL_BYTES_MAX = 65_536
/** Counts of vLLM and SGLang come with the id of every token: 8 bytes for each of a million. */
const COUNT_BYTES_MAX = 8_388_608

export function connectUpstream(options: EngineOptions, traits: UpstreamTraits): Upstream {
  const { name, url, apiKey, slots, cadence } = options
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

  async function post(path: string, body: object, signal: AbortSignal): Promise<Bytes> {
    // Who left while waiting for a slot must not reach the engine.
    signal.throwIfAborted()
    const sent = { method: 'POST', path, headers, body: JSON.stringify(body) } as const
    const { status, bytes } = await exchange(
      pool,
      { ...sent, reset: !traits.keepAlive },
      name,
      cadence,
      signal,
    )
    if (status === 200) return bytes
    const kind = faultKind(status, await readUpTo(REFUSAL_BYTES_MAX, bytes), traits)
    throw new EngineFault(kind, name, `answered ${status}`)
  }

  return {
    post,
    close: () => pool.destroy(),
    async count(path, body, member, signal) {
      const answer = await readUpTo(COUNT_BYTES_MAX, await post(path, body, signal))
      return numberIn(answer, member, name)
    },
  }
}

type Answer = { readonly status: number; readonly bytes: Bytes }

/** One exchange by the client's own callbacks: no stream stands between them and the reader. */
function exchange(
  pool: Pool,
  sent: Dispatcher.DispatchOptions,
  engine: string,
  cadence: Cadence,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  let controller: Dispatcher.DispatchController | undefined
  const flow = {
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    abandon: () => controller?.abort(new Error('abandoned')),
  }
  const source = new ByteSource(flow, cadence)
  const fail = (error: unknown) => {
    signal.removeEventListener('abort', onAbort)
    reject(error)
    source.fail(error)
  }
  const onAbort = () => {
    const reason = signal.reason as Error
    fail(reason)
    controller?.abort(reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  pool.dispatch(sent, {
    onRequestStart(started) {
      controller = started
      if (signal.aborted) started.abort(signal.reason as Error)
    },
    onResponseStart(_controller, status) {
      if (status >= 200) resolve({ status, bytes: source })
    },
    onResponseData: (_controller, chunk) => source.push(chunk),
    onResponseEnd() {
      signal.removeEventListener('abort', onAbort)
      source.end()
    },
    onResponseError(_controller, cause) {
      if (!signal.aborted)
        fail(new EngineFault('transport', engine, 'the connection failed', cause))
    },
  })
  return promise
}

function faultKind(status: number, body: string, traits: UpstreamTraits): EngineFaultKind {
  if (status === 401 || status === 403) return 'credentials'
  if (status === 429 || status === 503) return 'busy'
  const kind = traits.faultOf(status, body)
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
  throw new EngineFault('protocol', engine, 'the engine did not count')
}
