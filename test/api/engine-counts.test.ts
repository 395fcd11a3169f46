import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { openValkey } from '../../src/store/valkey/valkey.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { startRealEngine } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { readMetrics } from '../harness/figures/metrics-page.ts'
import { startService } from '../harness/processes/service.ts'
import { grantFunds } from '../harness/seed/tenants.ts'

// What an engine counts is compared with what the request asked for and reserved.

const EXCESS = 'headrace_engine_excess_tokens_total{engine="one"}'
const MODEL = 'test/counted'
const GRANTED = 5_000_000
/** So that every token costs 1,000 micro-units. */
const PRICE = { input: 1_000, cached_input: 1_000, output: 1_000 }
const LIMITS = {
  requests_per_minute: 1_000,
  requests_per_day: 1_000,
  tokens_per_minute: 1_000,
  tokens_per_day: 5_000,
}

type EngineSettings = Config['engines'][number]

/** A service with one engine and prepaid callers. */
async function start(t: TestContext, engine: Pick<EngineSettings, 'kind' | 'url'>, probed = false) {
  const service = await startService((config) => {
    const own = { name: 'one', slots: 2, prompt_cache: 'off', model_name: 'pebble', ...engine }
    const lengths = { context_length: 4_096, max_output_tokens: 100, reasoning: undefined }
    const { ample } = config.plans
    assert.ok(config.models[0] && ample)
    const model = { ...config.models[0], id: MODEL, engines: ['one'], aliases: [], ...lengths }
    return {
      ...config,
      api: { ...config.api, probe_engines: probed },
      engines: [own as EngineSettings],
      models: [{ ...model, fallback: [], price: PRICE }],
      plans: { ...config.plans, prepaid: { ...ample, billing: 'prepaid', limits: LIMITS } },
    } as unknown as Config
  })
  t.after(() => service[Symbol.asyncDispose]())
  const valkey = openValkey(service.config.valkey_urls)
  t.after(() => valkey[Symbol.asyncDispose]())
  await valkey.connected(5_000)
  async function openCaller(balance = GRANTED) {
    const { key, organizationId } = await service.createCaller('prepaid')
    const raised = await grantFunds(service.postgres.database, organizationId, balance)
    for (const each of raised) await raiseVersion(valkey, each)
    const { funds } = organizationKeys(organizationId)
    async function chat(body: object) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify({ model: MODEL, ...body }) }
      const answer = await fetch(`${service.apiRoot}/chat/completions`, sent)
      return { status: answer.status, headers: answer.headers, body: await answer.json() }
    }
    const spent = async () => Number(await valkey.call('HGET', [funds, 'spent']))
    return { chat, spent }
  }
  return { service, openCaller }
}

type Usage = { usage: { prompt_tokens: number; completion_tokens: number } }

const HELLO = [{ role: 'user', content: 'hi' }]

for (const counts of [
  { prompt: 5, completion: 1_000_000_000 },
  { prompt: 1_000_000_000, completion: 1 },
])
  test(`an engine that reports ${JSON.stringify(counts)} overcharges nobody`, async (t) => {
    const engine = await startFakeEngine(({ response }) => {
      begin(response).end(ROLE + chunk({ content: 'x' }) + ending(counts, 'length'))
    })
    t.after(() => engine[Symbol.asyncDispose]())
    const { service, openCaller } = await start(t, { kind: 'vllm', url: engine.url })
    const { chat, spent } = await openCaller()
    const answer = await chat({ max_tokens: 3, messages: HELLO })
    assert.equal(answer.status, 200)
    const { usage } = answer.body as Usage
    assert.ok(usage.completion_tokens <= 3, 'at most what was asked for')
    assert.ok(usage.prompt_tokens <= 4_096, 'at most what was reserved')
    const charged = (usage.prompt_tokens + usage.completion_tokens) * 1_000
    assert.equal(await spent(), charged, 'the client is shown what it is charged')
    assert.ok(charged <= GRANTED)
    const excess = (await readMetrics(service.healthAddress)).get(EXCESS)
    const reported = counts.prompt + counts.completion
    assert.equal(excess, reported - usage.prompt_tokens - usage.completion_tokens)
    const { states } = (await (await fetch(`${service.healthAddress}/engines`)).json()) as {
      states: Record<string, { excess_tokens: number }>
    }
    assert.equal(states['one']?.excess_tokens, excess, 'the engine is marked')
  })

test('a request is never charged more than it reserved, whatever its template adds', async (t) => {
  const template = new URL('../harness/templates/long-system-message.jinja', import.meta.url)
    .pathname
  const llama = await startRealEngine(2, { flags: ['--jinja', '--chat-template-file', template] })
  t.after(() => llama[Symbol.asyncDispose]())
  const engine = { kind: 'llama-server', url: llama.url } as const
  const { openCaller } = await start(t, engine)
  const { chat, spent } = await openCaller(300_000)
  const answer = await chat({ max_tokens: 1, messages: HELLO })
  const isWithin = answer.status === 402 || (await spent()) <= 300_000
  assert.ok(isWithin, 'its default system message alone has more than 1,000 tokens')
})

test('once the template is measured, its default system message is reserved', async (t) => {
  const template = new URL('../harness/templates/long-system-message.jinja', import.meta.url)
    .pathname
  const llama = await startRealEngine(2, { flags: ['--jinja', '--chat-template-file', template] })
  t.after(() => llama[Symbol.asyncDispose]())
  const engine = { kind: 'llama-server', url: llama.url } as const
  const { service, openCaller } = await start(t, engine, true)
  const poor = await openCaller(300_000)
  const isRefused = async () => (await poor.chat({ max_tokens: 1, messages: HELLO })).status === 402
  await waitUntil('a refusal for want of funds', isRefused, 30_000)
  const rich = await openCaller()
  const { status, body } = await rich.chat({ max_tokens: 1, messages: HELLO })
  assert.equal(status, 200)
  const { usage } = body as Usage
  assert.ok(usage.prompt_tokens > 1_000)
  assert.equal(await rich.spent(), (usage.prompt_tokens + usage.completion_tokens) * 1_000)
  assert.equal((await readMetrics(service.healthAddress)).get(EXCESS), 0)
})

test('the id of an answered call counts as input, and is limited', async (t) => {
  const engine = await startFakeEngine(({ response }) => {
    begin(response).end(ROLE + chunk({ content: 'x' }) + ending({ prompt: 5, completion: 1 }))
  })
  t.after(() => engine[Symbol.asyncDispose]())
  const { openCaller } = await start(t, { kind: 'vllm', url: engine.url })
  const { chat } = await openCaller()
  const called = { name: 'f', arguments: '{}' }
  const asking = (id: string) => [
    ...HELLO,
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: called }] },
    { role: 'tool', tool_call_id: id, content: 'ok' },
  ]
  const left = async (id: string) => {
    const { status, headers } = await chat({ max_tokens: 1, messages: asking(id) })
    return { status, tokens: Number(headers.get('x-ratelimit-remaining-tokens')) }
  }
  const short = await left('a')
  const long = await left('a'.repeat(256))
  assert.deepEqual([short.status, long.status], [200, 200])
  assert.ok(short.tokens - long.tokens > 60, 'at about four bytes a token, less what refilled')
  const { status, body } = await chat({ max_tokens: 1, messages: asking('a'.repeat(257)) })
  const { error } = body as { error: { code: string; param: string } }
  assert.deepEqual(
    [status, error.code, error.param],
    [400, 'invalid_value', 'messages[2].tool_call_id'],
  )
})
