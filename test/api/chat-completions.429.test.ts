import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { readError, type Answer } from './client.ts'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { openChat, request, startApi, until, type Api } from './start.ts'

const AMPLE = 1_000_000

function limited(limits: Partial<Config['plans'][string]['limits']>): Config['plans'][string] {
  return {
    models: 'all',
    credentials: ['api_key'],
    ignored_parameters: [],
    limits: {
      requests_per_minute: AMPLE,
      requests_per_day: AMPLE,
      tokens_per_minute: AMPLE,
      tokens_per_day: AMPLE,
      ...limits,
    },
    weight: 1,
    priority: 'standard',
    billing: 'none',
    prices: {},
  }
}

/** Estimated as twenty tokens of four bytes each. */
const TWENTY = request({ messages: [{ role: 'user', content: 'abcd'.repeat(20) }] })

const HOLDING = scriptedModel('stops-talking')

function remaining({ headers }: Answer): object {
  const reported = Object.entries(headers).filter(([name]) => name.includes('-remaining-'))
  return Object.fromEntries(reported)
}

describe('429', () => {
  let api: Api
  before(async () => {
    api = await startApi((config) => ({
      ...config,
      plans: {
        ...config.plans,
        minute: limited({ requests_per_minute: 3 }),
        day: limited({ requests_per_day: 5 }),
        tokens: limited({ tokens_per_day: 50 }),
        organization: limited({ concurrent_requests: 1 }),
        key: limited({ concurrent_requests_per_key: 1 }),
        model: limited({ concurrent_requests_per_model: { [HOLDING]: 1 } }),
      },
    }))
  })
  after(() => api[Symbol.asyncDispose]())

  test('429: of many simultaneous requests exactly the limit is admitted', async () => {
    const { key } = await api.service.createCaller('day')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.client.get('/models', { key })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 5)
    assert.equal(answers.filter(({ status }) => status === 429).length, 15)
  })

  test('429: a rejected request uses nothing in any dimension', async () => {
    const { key } = await api.service.createCaller('tokens')
    for (const status of [200, 200, 429])
      assert.equal((await api.client.chat(TWENTY, { key })).status, status)
    const again = await api.client.chat(TWENTY, { key })
    const left = remaining(again) as Record<string, string>
    assert.equal(left['x-ratelimit-remaining-tokens-day'], '10')
    assert.equal(left['x-ratelimit-remaining-requests-day'], String(AMPLE - 2))
    const small = request({ messages: [{ role: 'user', content: 'abcd'.repeat(10) }] })
    assert.equal((await api.client.chat(small, { key })).status, 200)
  })

  test('429: a per-minute limit states when to retry, and allows retries', async () => {
    const { key } = await api.service.createCaller('minute')
    const answers = [1, 2, 3, 4].map(() => api.client.get('/models', { key }))
    const rejected = (await Promise.all(answers)).find(({ status }) => status === 429)
    assert.ok(rejected)
    const { message, type, code } = readError(rejected)
    assert.deepEqual([type, code], ['rate_limit_error', 'rate_limit_exceeded'])
    assert.match(message, /rate limit/)
    const seconds = Number(rejected.headers['retry-after'])
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 20)
    assert.equal(rejected.headers['x-should-retry'], undefined)
  })

  for (const [plan, reached] of [
    ['organization', 'Your organization reached its rate limit of 1 concurrent request.'],
    ['key', 'This API key reached its rate limit of 1 concurrent request.'],
    ['model', `Your organization reached its rate limit of 1 concurrent request for ${HOLDING}.`],
  ] as const)
    test(`429: a limit of concurrent requests, of the ${plan}, frees with their end`, async () => {
      const { key } = await api.service.createCaller(plan)
      const body = request({ model: HOLDING, stream: true })
      const leaving = new AbortController()
      const { status } = await openChat({ ...api, key }, body, leaving.signal)
      assert.equal(status, 200)
      const rejected = await api.client.chat(body, { key })
      const { message, code } = readError(rejected)
      assert.deepEqual([rejected.status, code], [429, 'rate_limit_exceeded'])
      assert.equal(message, `${reached} Try again in 1 s.`)
      const { headers } = rejected
      assert.deepEqual([headers['retry-after'], headers['retry-after-ms']], ['1', '1000'])
      assert.equal(headers['x-should-retry'], undefined)
      assert.equal(headers['x-ratelimit-remaining-requests-day'], String(AMPLE - 1))
      // What runs no generation is not limited, nor is another model by the limit of one.
      assert.equal((await api.client.get('/models', { key })).status, 200)
      const other = await api.client.chat(request(), { key })
      assert.equal(other.status, plan === 'model' ? 200 : 429)
      leaving.abort()
      await until(
        'the requests have ended',
        async () => (await api.client.chat(request(), { key })).status === 200,
      )
    })
})
