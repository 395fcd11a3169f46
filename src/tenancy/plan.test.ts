import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPlans } from './plan.ts'
import { retentionInForce } from './retention.ts'

const SHARE = { weight: 2, priority: 'batch' } as const

test('plans are read from the configuration', () => {
  const limits = {
    requests_per_minute: 1,
    requests_per_day: 2,
    tokens_per_minute: 3,
    tokens_per_day: 4,
  }
  const rest = { billing: 'none', prices: {}, ignored_parameters: [] } as const
  const free = { limits, ...SHARE, ...rest }
  const plans = readPlans(
    {
      free: {
        ...free,
        models: ['a/b'],
        credentials: ['playground'],
        ignored_parameters: ['metadata', 'user'],
        limits: {
          ...limits,
          concurrent_requests: 5,
          concurrent_requests_per_key: 2,
          concurrent_requests_per_model: { 'a/b': 3 },
        },
      },
      paid: { ...free, models: 'all', credentials: ['api_key', 'playground'] },
    },
    [{ id: 'a/b', price: { input: 1, output: 2 } }],
  )
  assert.deepEqual(plans.get('free'), {
    name: 'free',
    models: new Set(['a/b']),
    credentials: new Set(['playground']),
    ignoredParameters: ['user', 'metadata'],
    limits: { requestsPerMinute: 1, requestsPerDay: 2, tokensPerMinute: 3, tokensPerDay: 4 },
    concurrency: { organization: 5, key: 2, models: new Map([['a/b', 3]]) },
    ...SHARE,
    billing: 'none',
    prices: new Map(),
  })
  const any = { organization: null, key: null, models: new Map() }
  assert.deepEqual(plans.get('paid')?.concurrency, any)
  assert.equal(plans.get('paid')?.models, 'all')
  assert.deepEqual(plans.get('paid')?.credentials, new Set(['api_key', 'playground']))
})

test('a price of the plan overrides that of the model, if the plan is billed', () => {
  const limits = {
    requests_per_minute: 1,
    requests_per_day: 2,
    tokens_per_minute: 3,
    tokens_per_day: 4,
  }
  const own = { 'a/b': { input: 0.1, cached_input: 0.000001, output: 1_000_000 } }
  const open = { models: 'all', credentials: ['api_key'], ignored_parameters: [] } as const
  const all = { ...open, limits, ...SHARE }
  const plans = readPlans(
    {
      none: { ...all, billing: 'none', prices: {} },
      own: { ...all, billing: 'prepaid', prices: own },
      one: { ...all, models: ['c/d'], billing: 'postpaid', prices: own },
    },
    [
      { id: 'a/b', price: { input: 9, output: 9 } },
      { id: 'c/d', price: { input: 1.005, output: 8.2 } },
    ],
  )
  const dear = { input: 100_000, cachedInput: 1, output: 1_000_000_000_000 }
  const cheap = { input: 1_005_000, cachedInput: 1_005_000, output: 8_200_000 }
  assert.deepEqual(plans.get('none')?.prices, new Map())
  assert.deepEqual(
    [...(plans.get('own')?.prices ?? [])],
    [
      ['a/b', dear],
      ['c/d', cheap],
    ],
  )
  assert.deepEqual([...(plans.get('one')?.prices ?? [])], [['c/d', cheap]])
})

test('contributor retention without consent is treated as zero', () => {
  const terms = { version: '1', acceptedAt: new Date(0), acceptedBy: 'someone' }
  assert.equal(retentionInForce('contributor', null, true), 'zero')
  assert.equal(retentionInForce('contributor', terms, true), 'contributor')
  assert.equal(retentionInForce('standard', null, true), 'standard')
  assert.equal(retentionInForce('zero', terms, true), 'zero')
  assert.equal(retentionInForce('contributor', terms, false), 'zero')
})
