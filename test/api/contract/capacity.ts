import assert from 'node:assert/strict'
import { readError, type Answer } from '../client.ts'
import { AMPLE } from '../../harness/environment.ts'
import { DIMENSIONS, rateLimitHeadersOf } from '../../harness/clients/rate-limit-headers.ts'
import {
  expectAccepted,
  expectError,
  expectRetryAfter,
  requestWith,
  type Rule,
  rules,
} from './rule.ts'
import type { ContractApi } from './start.ts'

const DAY_MS = 86_400_000

function remaining({ headers }: Answer, dimension: string): number {
  return Number(headers[`x-ratelimit-remaining-${dimension}`])
}

/** A message of so many tokens, at four bytes each. */
function tokens(count: number): object {
  return { messages: [{ role: 'user', content: 'abcd'.repeat(count) }] }
}

/** Sends what fits into the plan, and then one request more. */
async function exhaust(api: ContractApi, plan: string, change: object = {}) {
  const key = await api.openOrganization(plan)
  const admitted = [await api.chat(change, { key }), await api.chat(change, { key })]
  const rejected = await api.chat(change, { key })
  return { key, admitted, rejected }
}

/** The plans into which two requests of this kind fit, by the limit that they meet. */
const PLANS = [
  { plan: 'two-a-minute', change: {}, daily: false },
  { plan: 'two-a-day', change: {}, daily: true },
  { plan: 'tokens-a-minute', change: tokens(15), daily: false },
  { plan: 'tokens-a-day', change: tokens(15), daily: true },
] as const

const REJECTIONS: readonly Rule[] = PLANS.flatMap(({ plan, change, daily }) =>
  rules('429', {
    [`${plan}: what fits is admitted, the next is rate_limit_exceeded`]: async (api) => {
      const { admitted, rejected } = await exhaust(api, plan, change)
      for (const answer of admitted) expectAccepted(answer)
      expectError(rejected, 'rate_limit_exceeded', null)
    },
    [`${plan}-retry-after: Retry-After is the true delay`]: async (api) => {
      const { rejected } = await exhaust(api, plan, change)
      expectRetryAfter(rejected)
      const seconds = Number(rejected.headers['retry-after'])
      const expected = daily ? (DAY_MS - (Date.now() % DAY_MS)) / 1000 : 30
      assert.ok(Math.abs(seconds - expected) <= 2, `${seconds} for ${expected}`)
    },
    [`${plan}-message: mentions the rate limit${daily ? ' and 00:00 UTC' : ''}`]: async (api) => {
      const { message } = readError((await exhaust(api, plan, change)).rejected)
      assert.match(message, /rate limit/)
      assert.doesNotMatch(message, /too many tokens/i)
      assert.equal(/00:00 UTC/.test(message), daily)
    },
    [`${plan}-retry: clients may ${daily ? 'not ' : ''}retry`]: async (api) => {
      const { rejected } = await exhaust(api, plan, change)
      assert.equal(rejected.headers['x-should-retry'], daily ? 'false' : undefined)
    },
    [`${plan}-uses-nothing: a rejection uses nothing in any dimension`]: async (api) => {
      const { key, rejected } = await exhaust(api, plan, change)
      const { headers } = await api.chat(change, { key })
      for (const name of rateLimitHeadersOf(rejected.headers))
        if (!name.includes('-reset-'))
          assert.ok(Number(headers[name]) >= Number(rejected.headers[name]), `${name} fell`)
    },
  }),
)

/** Bodies that are not valid; only the last has messages whose tokens count. */
const BAD_BODIES = [
  ['unparsable', { body: '{' }],
  ['of another type', { headers: { 'content-type': 'text/plain' } }],
  ['too large', { body: JSON.stringify(requestWith({ user: 'x'.repeat(200_000) })) }],
  ['invalid', { body: '{"temperature":9}' }],
  ['without a model', { body: JSON.stringify(requestWith({ model: 'no/such' })) }],
] as const

const COUNTED: readonly Rule[] = BAD_BODIES.map(([what, sent]) => ({
  id: `capacity/counts-${what.replaceAll(' ', '-')}`,
  name: `a body that is ${what} is admitted as one request`,
  async check(api) {
    const key = await api.openOrganization('thousand')
    const answer = await api.chat({}, { key, ...sent })
    assert.ok(answer.status >= 400 && answer.status < 500)
    assert.equal(remaining(answer, 'requests-day'), 1999)
    if (what !== 'without a model') assert.equal(remaining(answer, 'tokens-day'), 4000)
  },
}))

const REPORTS = rules('capacity', {
  'limits: the limits of the plan are reported, each under its name': async (api) => {
    const key = await api.openOrganization('thousand')
    const { headers } = await api.chat({}, { key })
    const limits = DIMENSIONS.map((name) => headers[`x-ratelimit-limit-${name}`])
    assert.deepEqual(limits, ['1000', '2000', '3000', '4000'])
  },
  "overrides: an organization's own limits replace its plan's": async (api) => {
    const key = await api.openOrganization('thousand', { limits: { requestsPerDay: 77 } })
    const { headers } = await api.chat({}, { key })
    assert.equal(headers['x-ratelimit-limit-requests-day'], '77')
  },
  'falls: remaining falls by one request and by the estimated input': async (api) => {
    const key = await api.openOrganization('thousand')
    const first = await api.chat(tokens(20), { key })
    assert.equal(remaining(first, 'requests-day'), 1999)
    assert.equal(remaining(first, 'tokens-day'), 3980)
    assert.equal(remaining(first, 'tokens'), 2980)
    const second = await api.chat(tokens(50), { key })
    assert.equal(remaining(second, 'requests-day'), 1998)
    assert.equal(remaining(second, 'tokens-day'), 3930)
  },
  'admission-not-usage: tokens are counted by the input, not by the final usage': async (api) => {
    const key = await api.openOrganization('thousand')
    const change = { ...tokens(10), max_completion_tokens: 20 }
    await api.chat(change, { key })
    assert.equal(remaining(await api.chat(change, { key }), 'tokens-day'), 3980)
  },
  'models: listing models uses a request and no tokens': async (api) => {
    const key = await api.openOrganization('thousand')
    const list = await api.get('/models', { key })
    assert.equal(remaining(list, 'requests-day'), 1999)
    const chat = await api.chat(tokens(10), { key })
    assert.equal(remaining(chat, 'tokens-day'), 3990)
    assert.equal(remaining(chat, 'requests-day'), 1998)
  },
  'refills: the reset of a minute is the time to full at the rate of the limit': async (api) => {
    const key = await api.openOrganization('thousand')
    const { headers } = await api.chat({}, { key })
    assert.ok(Number.parseFloat(headers['x-ratelimit-reset-requests'] ?? '') <= 0.06)
  },
  'never: a request that alone costs more than a limit is final': async (api) => {
    const key = await api.openOrganization('tokens-a-minute')
    const answer = await api.chat(tokens(31), { key })
    expectError(answer, 'rate_limit_exceeded', null)
    assert.match(readError(answer).message, /rate limit.*alone/)
    assert.equal(answer.headers['x-should-retry'], 'false')
    expectRetryAfter(answer)
    assert.equal(remaining(answer, 'requests-day'), AMPLE)
  },
  '429-before-400: a request beyond the limit is 429 whatever its body': async (api) => {
    const key = await api.openOrganization('two-a-day')
    for (const status of [400, 400, 429])
      assert.equal((await api.client.chat({}, { key })).status, status)
  },
  '429-models: models and unknown endpoints are limited too': async (api) => {
    const key = await api.openOrganization('two-a-day')
    assert.equal((await api.get('/models', { key })).status, 200)
    assert.equal((await api.get('/nothing', { key })).status, 404)
    for (const path of ['/models', '/models/headrace/pebble', '/nothing'])
      expectError(await api.get(path, { key }), 'rate_limit_exceeded', null)
  },
  'per-organization: the use of one organization takes nothing from another': async (api) => {
    await exhaust(api, 'two-a-day')
    const key = await api.openOrganization('two-a-day')
    expectAccepted(await api.chat({}, { key }))
  },
})

export const CAPACITY: readonly Rule[] = [...REJECTIONS, ...COUNTED, ...REPORTS]
