import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { changeFunds } from '../../src/store/ledger/double-entry.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { type Valkey } from '../../src/store/valkey/valkey.ts'
import type { UsageRecord } from '../../src/tenancy/usage-record.ts'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import type { Caller } from '../harness/seed/tenants.ts'
import { readHash, readUsage } from '../harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import { readError, readJson } from './client.ts'
import { openChat, request, startApi } from './start.ts'

const MODEL = 'headrace/pebble'
/** Per million tokens, in units of the currency: one output token costs one micro-unit. */
const PRICE = { input: 2, cached_input: 1, output: 1 }
const LARGE_BALANCE = 1_000_000_000
const TIMEOUT_MS = 10_000

const server = await startValkey()
const valkey = await connectValkey([server.url])
const api = await startApi((config) => {
  const { ample } = config.plans
  if (ample === undefined) throw new Error('there is no ample plan')
  const paid = {
    ...ample,
    billing: 'prepaid',
    prices: { [MODEL]: PRICE, [scriptedModel('says-nothing')]: PRICE },
  } as const
  return { ...config, valkey_urls: [server.url], plans: { ...config.plans, paid } }
})
after(async () => {
  await api[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await server.kill()
})

describe('usage', () => {
  async function createPaying(amount: number): Promise<Caller> {
    const caller = await api.service.createCaller('paid')
    const { database } = api.service.postgres
    if (amount > 0)
      await changeFunds(database, {
        organizationId: caller.organizationId,
        kind: 'grant',
        amount,
        reference: crypto.randomUUID(),
        madeBy: 'test',
        reason: 'test',
      })
    return caller
  }

  const recordsOf = ({ organizationId }: Caller) => readUsage(valkey, { organizationId })

  const fundsOf = ({ organizationId }: Caller) =>
    readHash(valkey, organizationKeys(organizationId).funds)

  async function isReleased(caller: Caller): Promise<boolean> {
    return (await fundsOf(caller))['reserved'] === '0'
  }

  test('402: without a balance nothing is generated, and retries are stopped', async () => {
    const caller = await createPaying(0)
    const answer = await api.client.chat(request(), { key: caller.key })
    assert.equal(answer.status, 402)
    const { type, code, param } = readError(answer)
    assert.deepEqual([type, code, param], ['billing_error', 'insufficient_balance', null])
    assert.equal(answer.headers['x-should-retry'], 'false')
    assert.equal(answer.headers['x-ratelimit-limit-requests'], undefined)
    assert.equal((await api.client.get('/models', { key: caller.key })).status, 200)
    assert.deepEqual(await recordsOf(caller), [])
  })

  test('402: a balance that does not cover the worst-case cost is not enough', async () => {
    const { key } = await createPaying(100)
    const large = request({ max_completion_tokens: 101 })
    assert.equal((await api.client.chat(large, { key })).status, 402)
  })

  test('400: an invalid request is not recorded, and its reservation is released', async () => {
    const caller = await createPaying(LARGE_BALANCE)
    const answer = await api.client.chat(request({ unlisted: 1 }), { key: caller.key })
    assert.equal(answer.status, 400)
    await waitUntil('the reservation to be released', () => isReleased(caller), TIMEOUT_MS)
    assert.equal((await fundsOf(caller))['spent'], '0')
    assert.deepEqual(await recordsOf(caller), [])
  })

  test('404: the name of an unknown model is not stored anywhere in Valkey', async () => {
    const caller = await createPaying(LARGE_BALANCE)
    const model = 'a secret of the client'
    assert.equal((await api.client.chat(request({ model }), { key: caller.key })).status, 404)
    const text = await readAll(valkey)
    assert.ok(!text.includes(model))
  })

  test('200: the record has the same token counts as the response, and their cost', async () => {
    const caller = await createPaying(LARGE_BALANCE)
    const answer = await api.client.chat(request(), { key: caller.key })
    const [record, ...more] = await recordsOf(caller)
    assert.ok(record !== undefined && more.length === 0)
    const { usage } = readJson(answer) as { usage: Usage }
    assert.equal(record.promptTokens, usage.prompt_tokens)
    assert.equal(record.completionTokens, usage.completion_tokens)
    assert.equal(record.cachedTokens, usage.prompt_tokens_details.cached_tokens)
    const { promptTokens, cachedTokens, completionTokens, cost } = record
    assert.equal(cost, 2 * (promptTokens - cachedTokens) + cachedTokens + completionTokens)
    assert.equal(record.id, answer.headers['x-request-id'])
    assert.deepEqual([record.outcome, record.basis, record.model], ['completed', 'engine', MODEL])
    assert.ok(isOrdered(record))
    const { spent, reserved } = await fundsOf(caller)
    assert.deepEqual([spent, reserved], [String(cost), '0'])
  })

  test('200: a stream is recorded before its end marker is sent', async () => {
    const caller = await api.service.createCaller()
    for (let count = 1; count <= 20; count += 1) {
      const response = await fetch(`${api.service.apiRoot}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(request({ stream: true })),
      })
      let seen: Promise<UsageRecord[]> | undefined
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        if (part.includes('[DONE]')) seen = recordsOf(caller)
      assert.equal((await seen)?.length, count)
    }
  })

  test('an abandoned stream is recorded with the engine’s counts so far', async () => {
    const caller = await api.service.createCaller()
    const leaving = new AbortController()
    const endless = request({ stream: true, max_completion_tokens: 2_048, ...NUMBERS })
    await openChat({ ...api, key: caller.key }, endless, leaving.signal)
    const { progress } = organizationKeys(caller.organizationId)
    const isNoted = async () => (await valkey.call('HLEN', [progress])) === 1
    await waitUntil('a checkpoint', isNoted, TIMEOUT_MS)
    leaving.abort()
    const isRecorded = async () => (await recordsOf(caller)).length === 1
    await waitUntil('the usage record', isRecorded, TIMEOUT_MS)
    const [record] = await recordsOf(caller)
    assert.deepEqual([record?.outcome, record?.basis], ['abandoned', 'engine_partial'])
    assert.ok((record?.promptTokens ?? 0) > 0 && (record?.completionTokens ?? 0) > 0)
    assert.equal(await valkey.call('HLEN', [progress]), 0)
  })

  test('a client that leaves before the first token is billed the prompt', async () => {
    const caller = await createPaying(LARGE_BALANCE)
    const model = scriptedModel('says-nothing')
    const leaving = new AbortController()
    const asking = openChat(
      { ...api, key: caller.key },
      request({ model, stream: true }),
      leaving.signal,
    )
    const isRunning = () => api.engine.runningOf('says-nothing') === 1
    await waitUntil('the engine to run the request', isRunning, TIMEOUT_MS)
    leaving.abort()
    await assert.rejects(asking)
    const isRecorded = async () => (await recordsOf(caller)).length === 1
    await waitUntil('the usage record', isRecorded, TIMEOUT_MS)
    const [record] = await recordsOf(caller)
    assert.deepEqual([record?.outcome, record?.basis], ['abandoned', 'engine_partial'])
    const { promptTokens, cachedTokens, completionTokens, cost } = record ?? {}
    assert.deepEqual([promptTokens, cachedTokens, completionTokens], [10, 0, 0])
    assert.equal(cost, 2 * 10)
    assert.ok(await isReleased(caller))
  })

  test('502: a failure without counts is recorded with zero tokens', async () => {
    const caller = await api.service.createCaller()
    const model = scriptedModel('fails')
    assert.equal((await api.client.chat(request({ model }), { key: caller.key })).status, 502)
    const [record] = await recordsOf(caller)
    assert.deepEqual([record?.outcome, record?.basis], ['failed', 'none'])
    assert.deepEqual([record?.promptTokens, record?.completionTokens, record?.cost], [0, 0, 0])
  })
})

type Usage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
}

/** The schema keeps the generation going until its limit. */
const NUMBERS = {
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      schema: { type: 'array', items: { type: 'integer' }, minItems: 1_000 },
    },
  },
}

function isOrdered({ queuedMs, firstTokenMs, durationMs }: UsageRecord): boolean {
  const times = [0, queuedMs ?? -1, firstTokenMs ?? -1, durationMs ?? -1]
  return times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0))
}

/** Everything in Valkey, as text. */
async function readAll(store: Valkey): Promise<string> {
  const keys = (await store.call('KEYS', ['*'])) as string[]
  const dumps = await Promise.all(keys.map((key) => store.call('DUMP', [key])))
  return dumps.map(String).join('\n')
}
