import { CLIENT } from './requests.ts'
import type { Span } from './spans.ts'

/** The part of a usage record that a trace repeats. */
export type Recorded = {
  readonly id: string
  readonly model: string
  readonly engine: string
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly first_token_ms: number
}

/** What is wrong with the trace of a completed request that an engine traced too. */
export function judgeTrace(record: Recorded, all: readonly Span[]): string[] {
  const spans = all.filter(({ traceId }) => traceId === record.id.replaceAll('-', ''))
  const find = (name: string) => spans.find((span) => span.name === name)
  const server = find('POST /chat/completions')
  const chat = find(`chat ${record.model}`)
  const engine = find('llm_request')
  const wrong: string[] = []
  const expect = (what: string, actual: unknown, expected: unknown) => {
    const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
    if (one !== other) wrong.push(`${record.id}: ${what} is ${one}, not ${other}`)
  }
  expect('the number of spans', spans.length, 5)
  expect('the parent of the request', server?.parentSpanId, '')
  expect('its link', server?.links, [CLIENT])
  for (const step of ['admit', 'queue'].map(find))
    expect('the parent of a step', step?.parentSpanId, server?.spanId)
  expect('the parent of the call', chat?.parentSpanId, server?.spanId)
  expect("the parent of the engine's span", engine?.parentSpanId, chat?.spanId)
  expect("the engine's service", engine?.service, 'engine')
  expect('the request id', server?.attributes['headrace.request_id'], record.id)
  expect('the status', server?.attributes['http.response.status_code'], 200)
  const { 'gen_ai.response.time_to_first_chunk': first, ...attributes } = chat?.attributes ?? {}
  const expected = expectedAttributes(record)
  for (const [name, value] of Object.entries(expected)) expect(name, attributes[name], value)
  // Counted from the call, not from the admission, so it is at most that of the record.
  if (typeof first !== 'number' || first * 1000 > record.first_token_ms + 1)
    wrong.push(`${record.id}: the first chunk came after ${String(first)} s`)
  return wrong
}

function expectedAttributes(record: Recorded): Record<string, unknown> {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'vllm',
    'gen_ai.request.model': record.model,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': record.prompt_tokens,
    'gen_ai.usage.cache_read.input_tokens': record.cached_tokens,
    'gen_ai.usage.output_tokens': record.completion_tokens,
    'gen_ai.usage.reasoning.output_tokens': record.reasoning_tokens,
    'headrace.engine': record.engine,
  }
}
