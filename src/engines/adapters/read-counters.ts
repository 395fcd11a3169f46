import { EngineError } from './engine.ts'

/** What an engine has counted by itself since it was started. */
export type EngineCounters = {
  /** Without those that it found in its cache, if its kind does not count them. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Generations that it has not finished: what they made may be counted already. */
  readonly running: number
}

/** How the counters of one kind of engine are called, and what they count. */
export type CounterNames = {
  readonly prompt: string
  readonly completion: string
  readonly running: readonly string[]
  /** Whether prompt tokens that came out of the cache are among those counted. */
  readonly countsCached: boolean
}

export type CountedEngine = {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly counters: CounterNames
}

/**
 * llama-server counts the prompt tokens that it processed, read and tried as of 0.7.0, and needs
 * `--metrics`. The others count whole prompts. SGLang counts a generation when it is finished,
 * the others as they go, and those that were given up too.
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
/** Histograms of many models are long, but not endless. */
const BYTES_MAX = 8 * 1_048_576

/** Throws an EngineError if the engine does not answer, or does not count. */
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
    throw new EngineError('transport', name, 'the counters could not be read', cause)
  }
  throw new EngineError('status', name, 'the engine does not show its counters')
}

/** The sum over all labels: an engine may tell apart its models, or its own processes. */
function sumOf(text: string, name: string): number | undefined {
  let sum: number | undefined
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue
    const [, value] = /^(?:\{.*\})? ([\d.eE+]+)(?: \d+)?\s*$/.exec(line.slice(name.length)) ?? []
    if (value !== undefined) sum = (sum ?? 0) + Number(value)
  }
  return sum
}

function missing({ name }: CountedEngine): never {
  throw new EngineError('protocol', name, 'the engine does not count')
}
