import { EngineError, type EngineLoad } from './engine.ts'

/** The engine's own counters since its start. */
export type EngineCounters = {
  /** Excludes cached tokens if this kind of engine does not count them. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Running generations, whose tokens may already be counted. */
  readonly running: number
}

/** The metric names of one kind of engine. */
export type CounterNames = {
  readonly prompt: string
  readonly completion: string
  readonly running: readonly string[]
  /** Whether the prompt counter includes cached tokens. */
  readonly countsCached: boolean
}

export type CountedEngine = {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly counters: CounterNames
}

/**
 * llama-server (source read and tested with 0.7.0) counts only processed prompt tokens and needs
 * `--metrics`. The others count whole prompts. SGLang counts a generation when it has finished; the
 * others count while it runs, including aborted generations.
 */
export const COUNTER_NAMES = {
  'llama-server': {
    prompt: 'llamacpp:prompt_tokens_total',
    completion: 'llamacpp:tokens_predicted_total',
    running: ['llamacpp:requests_processing', 'llamacpp:requests_deferred'],
    countsCached: false,
  },
  vllm: {
    prompt: 'vllm:prompt_tokens_total',
    completion: 'vllm:generation_tokens_total',
    running: ['vllm:num_requests_running', 'vllm:num_requests_waiting'],
    countsCached: true,
  },
  sglang: {
    prompt: 'sglang:prompt_tokens_total',
    completion: 'sglang:generation_tokens_total',
    running: ['sglang:num_running_reqs', 'sglang:num_queue_reqs'],
    countsCached: true,
  },
} as const satisfies Record<string, CounterNames>

const TIMEOUT_MS = 5_000
/** Limit for the metrics page; histograms of many models are long. */
const BYTES_MAX = 8 * 1_048_576

/** Throws an EngineError if the metrics cannot be read or a counter is missing. */
export async function readCounters(engine: CountedEngine): Promise<EngineCounters> {
  const text = await readMetrics(engine)
  const { prompt, completion, running } = engine.counters
  const sum = (name: string) => sumOf(text, name) ?? missing(engine)
  return {
    promptTokens: sum(prompt),
    completionTokens: sum(completion),
    running: running.reduce((total, name) => total + (sumOf(text, name) ?? 0), 0),
  }
}

async function readMetrics({ name, url, apiKey }: CountedEngine): Promise<string> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(`${url}/metrics`, { headers, signal, redirect: 'manual' })
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true })
      if (text.length > BYTES_MAX) break
    }
    if (response.status === 200) return text
  } catch (cause) {
    throw new EngineError('transport', name, 'the metrics could not be read', cause)
  }
  throw new EngineError('status', name, 'the metrics returned an error status')
}

/** The sum over all labels, such as models or processes of the engine, or over those with these. */
function sumOf(page: string, name: string, ...labels: readonly string[]): number | undefined {
  const values = valuesOf(page, name, ...labels)
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value)
}

/** The values of all labels, or of those with these. */
function valuesOf(page: string, name: string, ...labels: readonly string[]): readonly number[] {
  const values: number[] = []
  for (let at = page.indexOf(name); at >= 0; at = page.indexOf(name, at + name.length)) {
    const isLine = at === 0 || page[at - 1] === '\n'
    const value = isLine ? valueIn(page, at + name.length, labels) : undefined
    if (value !== undefined) values.push(value)
  }
  return values
}

/** The value behind a name; undefined if the name goes on, lacks a label, or has no count. */
function valueIn(page: string, nameEnd: number, wanted: readonly string[]): number | undefined {
  const newline = page.indexOf('\n', nameEnd)
  const line = page.slice(nameEnd, newline < 0 ? page.length : newline)
  const labels = line.startsWith('{') ? line.lastIndexOf('}') + 1 : 0
  if (line[labels] !== ' ') return undefined
  if (wanted.some((label) => !line.slice(0, labels).includes(label))) return undefined
  const [text] = line.slice(labels + 1).split(' ', 1)
  const value = Number(text || undefined)
  return value >= 0 && Number.isFinite(value) ? value : undefined
}

function missing({ name }: CountedEngine): never {
  throw new EngineError('protocol', name, 'a counter is missing in the metrics')
}

/** The names of these metrics. */
export type LoadNames = {
  readonly running: string
  readonly waiting: string
  /** Of those that wait, the ones that do not wait for room: not a sign of too much load. */
  readonly deferred?: { readonly name: string; readonly label: string }
  readonly cacheUse?: string
  readonly preempted?: string
  /** Any counter of work that was done. */
  readonly served: string
}

/**
 * The load on a page of metrics; undefined if it has no such metrics. Looks only at their lines:
 * the rest of a page are long histograms, and it is read twice a second. With a label, the load of
 * that rank.
 */
export function loadIn(page: string, names: LoadNames, rank = ''): EngineLoad | undefined {
  const running = sumOf(page, names.running, rank)
  const waiting = sumOf(page, names.waiting, rank)
  if (running === undefined || waiting === undefined) return undefined
  const { deferred } = names
  const { name = '', label = '' } = deferred ?? {}
  const excused = deferred === undefined ? 0 : (sumOf(page, name, label, rank) ?? 0)
  const uses = names.cacheUse === undefined ? [] : valuesOf(page, names.cacheUse, rank)
  return {
    running,
    waiting: Math.max(0, waiting - excused),
    // The fullest of several ranks is the one that lets requests wait.
    cacheUse: uses.length === 0 ? undefined : Math.max(...uses),
    preempted: names.preempted === undefined ? undefined : sumOf(page, names.preempted, rank),
    served: sumOf(page, names.served, rank),
  }
}
