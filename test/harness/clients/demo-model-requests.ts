import type { Random } from '../figures/random.ts'

/** Kinds of chat requests to the demo model on a real engine. */
export const REQUEST_KINDS = ['text', 'tool call', 'schema', 'JSON'] as const

export type RequestKind = (typeof REQUEST_KINDS)[number]

/** So many numbers that no generation of the demo model completes the list. */
const NUMBERS = { type: 'array', items: { type: 'integer' }, minItems: 1_000 }

const TOOL = {
  type: 'function',
  function: {
    name: 'sum',
    description: 'Adds numbers',
    parameters: {
      type: 'object',
      properties: { numbers: NUMBERS },
      required: ['numbers'],
    },
  },
}

const TOKENS_MAX = 3_000

/** A generation that continues until its client leaves. The seed makes its prompt unique. */
export function endlessRequest(kind: RequestKind, model: string, seed: number): object {
  const stream = kind !== 'JSON'
  const schema = { type: 'json_schema', json_schema: { name: 'numbers', schema: NUMBERS } }
  return {
    model,
    seed,
    stream,
    max_tokens: TOKENS_MAX,
    messages: [{ role: 'user', content: `Count from ${seed}, and tell me about it.` }],
    ...(kind === 'tool call' ? { tools: [TOOL], tool_choice: 'required' } : {}),
    ...(kind === 'schema' || kind === 'JSON' ? { response_format: schema } : {}),
  }
}

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'integer' } },
  required: ['city', 'celsius'],
  additionalProperties: false,
}

const WEATHER = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather', parameters: CITY },
}

/** A generation that stops, or soon reaches its limit. */
export function endingRequest(
  kind: RequestKind,
  model: string,
  seed: number,
  random: Random,
): object {
  const stream = kind !== 'JSON' && random.chance(0.8)
  const city = random.pick(['Paris', 'Oslo', 'Lima', 'Accra'])
  const schema = { type: 'json_schema', json_schema: { name: 'weather', schema: CITY } }
  return {
    model,
    seed,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    max_tokens: random.between(1, 300),
    messages: [{ role: 'user', content: `What is the weather in ${city}?` }],
    ...(kind === 'tool call' ? { tools: [WEATHER] } : {}),
    ...(kind === 'schema' ? { response_format: schema } : {}),
  }
}
