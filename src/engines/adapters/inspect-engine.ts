import { isObject } from '../../lib/is-object.ts'
import { EngineError } from './engine.ts'

export type InspectedEngine = {
  readonly name: string
  readonly kind: 'llama-server' | 'vllm' | 'sglang' | 'openai'
  readonly url: string
  readonly apiKey: string | undefined
}

export type EngineInspection = {
  /** The names of the models that it serves. */
  readonly models: readonly string[]
  /** Undefined if this kind of engine does not report them. */
  readonly slots: number | undefined
}

const ANSWER_BYTES_MAX = 1_048_576

/** Asks an engine what it serves, without generating anything. Throws an EngineError. */
export async function inspectEngine(
  engine: InspectedEngine,
  signal: AbortSignal,
): Promise<EngineInspection> {
  // First: llama-server lists its models without a key, but its properties only with the right one.
  const slots = await askSlots(engine, signal)
  const listed = await ask(engine, '/v1/models', signal)
  const data = isObject(listed) && Array.isArray(listed['data']) ? listed['data'] : []
  const models = data.flatMap((model: unknown) => {
    const id = isObject(model) ? model['id'] : undefined
    return typeof id === 'string' ? [id] : []
  })
  return { models, slots }
}

async function askSlots(engine: InspectedEngine, signal: AbortSignal): Promise<number | undefined> {
  if (engine.kind === 'llama-server')
    return countIn(await ask(engine, '/props', signal), 'total_slots')
  return engine.kind === 'sglang' ? askSglangSlots(engine, signal) : undefined
}

async function askSglangSlots(engine: InspectedEngine, signal: AbortSignal) {
  const server = await ask(engine, '/get_server_info', signal).catch((error: unknown) => {
    // Other releases may not have it.
    if (!(error instanceof EngineError) || error.kind !== 'status') throw error
  })
  const states = isObject(server) ? server['internal_states'] : undefined
  if (!Array.isArray(states)) return undefined
  // One for each replica inside the engine.
  const counts = states.map((state) => countIn(state, 'effective_max_running_requests_per_dp') ?? 0)
  return counts.reduce((sum, count) => sum + count, 0) || undefined
}

function countIn(value: unknown, member: string): number | undefined {
  const count = isObject(value) ? value[member] : undefined
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : undefined
}

async function ask(engine: InspectedEngine, path: string, signal: AbortSignal): Promise<unknown> {
  const { name, url, apiKey } = engine
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const response = await fetch(url + path, { headers, signal, redirect: 'manual' }).catch(
    (cause: unknown) => {
      throw new EngineError('connection', name, 'the connection failed', cause)
    },
  )
  if (response.status !== 200) {
    await response.body?.cancel()
    const { status } = response
    const kind = status === 401 || status === 403 ? 'credentials' : 'status'
    throw new EngineError(status === 503 ? 'busy' : kind, name, `responded ${status}`)
  }
  try {
    return JSON.parse(await readUpTo(ANSWER_BYTES_MAX, response)) as unknown
  } catch (cause) {
    throw new EngineError('protocol', name, 'the response is not JSON', cause)
  }
}

async function readUpTo(bytesMax: number, response: Response): Promise<string> {
  const body: AsyncIterable<Uint8Array> | null = response.body
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > bytesMax) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
