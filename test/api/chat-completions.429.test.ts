import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Config } from '../../src/config/load.ts'
import { readError } from './client.ts'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { openChat, request, startApi, until } from './start.ts'

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

const HOLDING = scriptedModel('stops-talking')

const api = await startApi((config) => ({
  ...config,
  plans: {
    ...config.plans,
    organization: limited({ concurrent_requests: 1 }),
    key: limited({ concurrent_requests_per_key: 1 }),
    model: limited({ concurrent_requests_per_model: { [HOLDING]: 1 } }),
  },
}))
after(() => api[Symbol.asyncDispose]())

describe('429', () => {
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
