import { costOf } from '../../../src/tenancy/price.ts'
import { PRICED } from './world.ts'

/** What came of one request: a cost, by the usage that the client was told, or a refusal. */
export type Asked =
  | { readonly kind: 'answered'; readonly cost: number }
  | { readonly kind: 'refused' }
  /** 503, which a busy machine brings about and which uses nothing. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'other'; readonly what: string }

type Usage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number }
}

export async function ask(
  { apiRoot, key }: { readonly apiRoot: string; readonly key: string },
  model: string,
  tokensMax: number,
  stream: boolean,
): Promise<Asked> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: tokensMax,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
  const text = await response.text()
  if (response.status === 402) return judgeRefusal(response.headers, text)
  if (response.status === 503) return { kind: 'unavailable' }
  const usage = response.status === 200 ? usageIn(text, stream) : undefined
  if (usage === undefined) return { kind: 'other', what: `${response.status} ${text}` }
  const counts = {
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens,
  }
  return { kind: 'answered', cost: costOf(counts, PRICED) }
}

function judgeRefusal(headers: Headers, text: string): Asked {
  const { error } = JSON.parse(text) as { error?: { code?: string } }
  const capacities = [...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))
  const fits =
    error?.code === 'insufficient_balance' &&
    headers.get('x-should-retry') === 'false' &&
    capacities.length === 0
  return fits ? { kind: 'refused' } : { kind: 'other', what: `402 ${text} ${capacities.join()}` }
}

function usageIn(text: string, stream: boolean): Usage | undefined {
  if (!stream) return (JSON.parse(text) as { usage?: Usage }).usage
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  const last = events.at(-1)
  if (last === undefined || !text.endsWith('data: [DONE]\n\n')) return undefined
  return (JSON.parse(last.slice('data: '.length)) as { usage?: Usage }).usage
}
