import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../contract/error.ts'
import { ClientGone, type Call } from '../../http/call.ts'
import type { EndedSpan } from '../../lib/tracing/span-export.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { usageRecord } from '../../../test/harness/seed/usage-records.ts'
import type { RequestTrace } from './request-trace.ts'
import { traceRequest } from './trace-requests.ts'

const TARGET = { name: 'one', kind: 'vllm', host: 'gpu-1', port: 8000, modelName: 'own-name' }
const CLIENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const TRACEPARENT = `00-${CLIENT.traceId}-${CLIENT.spanId}-01`

type Given = {
  readonly ratio?: number
  readonly slowMs?: number
  readonly headersSent?: boolean
  readonly gone?: boolean
}

/** Runs a request, and returns the spans that are exported. */
async function run(given: Given, steps: (trace: RequestTrace) => void | Promise<void>) {
  const id = uuidV7()
  const exported: EndedSpan[] = []
  const leaving = new AbortController()
  if (given.gone === true) leaving.abort(new ClientGone('left'))
  const call = {
    id,
    request: { headers: { traceparent: TRACEPARENT } },
    response: { headersSent: given.headersSent ?? false, statusCode: 200 },
    signal: leaving.signal,
  } as unknown as Call
  const tracing = {
    sampleRatio: given.ratio ?? 0,
    slowMs: given.slowMs ?? 60_000,
    spans: { add: (_: string, spans: readonly EndedSpan[]) => void exported.push(...spans) },
  }
  const running = traceRequest(call, tracing, async (trace) => steps(trace!))
  const thrown = await running.then(
    () => undefined,
    (error: unknown) => error,
  )
  return { id, exported, thrown, names: exported.map(({ name }) => name) }
}

/** A whole generation, whose first token came `firstTokenMs` after its admission. */
function generate(trace: RequestTrace, firstTokenMs = 40): void {
  trace.admitted(performance.now())
  trace.sent(TARGET, 100)
  trace.settled(
    usageRecord({
      model: 'test/model',
      promptTokens: 11,
      cachedTokens: 3,
      completionTokens: 7,
      reasoningTokens: 2,
      firstTokenMs,
    }),
    'stop',
  )
}

const unavailable = () => new ApiError('upstream_unavailable', 'It failed.')

test('without tracing a request runs and gets no trace', async () => {
  let given: unknown = 'not called'
  await traceRequest({} as Call, undefined, async (trace) => {
    given = trace
  })
  assert.equal(given, undefined)
})

test('at ratio 0 only a 5xx and a slow first token are traced', async () => {
  assert.deepEqual((await run({}, generate)).names, [])
  const refused = await run({}, () => {
    throw new ApiError('rate_limit_exceeded', 'Slow down.')
  })
  assert.deepEqual(refused.names, [])
  const failed = await run({}, () => {
    throw unavailable()
  })
  assert.deepEqual(failed.names, ['POST /chat/completions', 'admit'])
  assert.equal((failed.thrown as ApiError).kind, 'upstream_unavailable')
  const slow = await run({ slowMs: 1_000 }, (trace) => generate(trace, 1_001))
  assert.equal(slow.names.length, 4)
  const long = await run({ slowMs: 1_000 }, (trace) => generate(trace, 999))
  assert.deepEqual(long.names, [])
})

test('a client that leaves is no failure', async () => {
  const left = await run({ gone: true }, () => {
    throw new ClientGone('left')
  })
  assert.deepEqual(left.names, [])
})

test('the spans carry the usage record, and the client is only linked to', async () => {
  const { id, exported, names } = await run({ ratio: 1, headersSent: true }, (trace) => {
    const traceparent = trace.sampled ? generate(trace) : undefined
    assert.equal(traceparent, undefined)
  })
  assert.deepEqual(names, ['POST /chat/completions', 'admit', 'queue', 'chat test/model'])
  const [server, ...steps] = exported
  assert.deepEqual([server?.parentId, server?.link], [undefined, CLIENT])
  for (const step of steps) assert.deepEqual([step.parentId, step.link], [server?.id, undefined])
  assert.equal(new Set(exported.map((span) => span.id)).size, 4)
  assert.deepEqual(server?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/chat/completions',
    'headrace.request_id': id,
    'headrace.outcome': 'completed',
    'http.response.status_code': 200,
  })
  const { 'gen_ai.response.time_to_first_chunk': first, ...chat } = steps.at(-1)?.attributes ?? {}
  assert.ok(typeof first === 'number' && first > 0.03 && first <= 0.04, String(first))
  assert.deepEqual(chat, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'vllm',
    'gen_ai.request.model': 'test/model',
    'gen_ai.request.max_tokens': 100,
    'gen_ai.response.model': 'own-name',
    'server.address': 'gpu-1',
    'server.port': 8000,
    'headrace.engine': 'one',
    'gen_ai.usage.input_tokens': 11,
    'gen_ai.usage.cache_read.input_tokens': 3,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'gen_ai.response.finish_reasons': ['stop'],
  })
  assert.ok(exported.every(({ startMs, endMs, failed }) => startMs <= endMs && !failed))
})

test('engines are told to sample only what was sampled by id', async () => {
  const sent: string[] = []
  const note = (trace: RequestTrace) => void sent.push(trace.sent(TARGET, 1))
  const chosen = await run({ ratio: 1 }, note)
  await run({ ratio: 0 }, (trace) => {
    note(trace)
    throw unavailable()
  })
  assert.match(sent[0] ?? '', /^00-[0-9a-f]{32}-4[0-9a-f]{15}-01$/)
  assert.match(sent[1] ?? '', /^00-[0-9a-f]{32}-4[0-9a-f]{15}-00$/)
  assert.equal(sent[0]?.slice(3, 35), chosen.id.replaceAll('-', ''))
})

test('a generation that moved has a span for each engine, and the first one failed', async () => {
  const { exported } = await run({ ratio: 1 }, (trace) => {
    trace.admitted(performance.now())
    trace.sent({ ...TARGET, name: 'broken' }, 1)
    generate(trace)
  })
  const chats = exported.filter(({ kind }) => kind === 'client')
  assert.deepEqual(
    chats.map(({ attributes, failed }) => [
      attributes['headrace.engine'],
      failed,
      attributes['error.type'],
    ]),
    [
      ['broken', true, '_OTHER'],
      ['one', false, undefined],
    ],
  )
  assert.notEqual(chats[0]?.id, chats[1]?.id)
})
