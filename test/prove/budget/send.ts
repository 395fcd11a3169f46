import { costOf } from '../../../src/tenancy/price.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { PRICED, type BudgetEnvironment, type GatedEngine } from './environment.ts'
import type { Sampler } from './sampler.ts'

/** The parts of the proof, and what it has counted. */
export type Budgeting = {
  readonly run: ProofRun
  readonly environment: BudgetEnvironment
  readonly engine: GatedEngine
  readonly sampler: Sampler
  readonly totals: Record<'asked' | 'answered' | 'refused_402' | 'rounds' | 'repeated_503', number>
}

export type Order = {
  /** Used in turn. */
  readonly keys: readonly string[]
  readonly model: string
  readonly count: number
  readonly tokens: number
  /** Of a 402. */
  readonly code?: string | undefined
}

/** What came of requests: how many were answered, and their cost by the usage in the answers. */
export type Sent = { readonly answered: number; readonly cost: number }

type Usage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number }
}

const TIMEOUT_MS = 120_000

/** Sends all requests at once, to the apis in turn; every other one streams. */
export async function send(
  { run, environment: { apis }, totals }: Budgeting,
  { keys, model, count, tokens, code = 'insufficient_balance' }: Order,
  onAnswer: () => void = () => {},
): Promise<Sent> {
  const sendOne = async (_: unknown, at: number): Promise<number | undefined> => {
    const apiRoot = apis[at % apis.length]?.apiRoot ?? ''
    const key = keys[at % keys.length] ?? ''
    const stream = at % 2 === 0
    const endMs = performance.now() + TIMEOUT_MS
    let response = await post(apiRoot, key, { model, max_tokens: tokens, stream })
    // A busy machine causes 503, which uses nothing.
    while (response.status === 503 && performance.now() < endMs) {
      await response.arrayBuffer()
      totals.repeated_503 += 1
      response = await post(apiRoot, key, { model, max_tokens: tokens, stream })
    }
    const text = await response.text()
    onAnswer()
    const usage = response.status === 200 ? usageIn(text, stream) : undefined
    if (usage !== undefined) return costOf(countsOf(usage), PRICED)
    if (response.status === 402 && isRefusal(response.headers, text, code)) totals.refused_402 += 1
    else run.fail(`${response.status} ${text} ${[...response.headers.keys()].join()}`.slice(0, 500))
    return undefined
  }
  const costs = (await Promise.all(Array.from({ length: count }, sendOne))).filter(
    (cost) => cost !== undefined,
  )
  totals.asked += count
  totals.answered += costs.length
  return { answered: costs.length, cost: costs.reduce((sum, cost) => sum + cost, 0) }
}

function post(
  apiRoot: string,
  key: string,
  body: { readonly model: string; readonly max_tokens: number; readonly stream: boolean },
): Promise<Response> {
  return fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...body,
      ...(body.stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
}

function countsOf(usage: Usage) {
  return {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens,
  }
}

/** The documented 402, without headers that would promise capacity. */
function isRefusal(headers: Headers, text: string, code: string): boolean {
  const { error } = JSON.parse(text) as { error?: { code?: string } }
  return (
    error?.code === code &&
    headers.get('x-should-retry') === 'false' &&
    ![...headers.keys()].some((name) => name.startsWith('x-ratelimit'))
  )
}

function usageIn(text: string, stream: boolean): Usage | undefined {
  if (!stream) return (JSON.parse(text) as { usage?: Usage }).usage
  const last = text.split('\n\n').findLast((event) => event.startsWith('data: {'))
  if (last === undefined || !text.endsWith('data: [DONE]\n\n')) return undefined
  return (JSON.parse(last.slice('data: '.length)) as { usage?: Usage }).usage
}
