import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPlans } from './plan.ts'
import { retentionInForce } from './retention.ts'

test('plans are read from the words of the operator’s file', () => {
  const limits = {
    requests_per_minute: 1,
    requests_per_day: 2,
    tokens_per_minute: 3,
    tokens_per_day: 4,
  }
  const plans = readPlans({
    free: { models: ['a/b'], credentials: ['playground'], limits },
    paid: { models: 'all', credentials: ['api_key', 'playground'], limits },
  })
  assert.deepEqual(plans.get('free'), {
    name: 'free',
    models: new Set(['a/b']),
    credentials: new Set(['playground']),
    limits: { requestsPerMinute: 1, requestsPerDay: 2, tokensPerMinute: 3, tokensPerDay: 4 },
  })
  assert.equal(plans.get('paid')?.models, 'all')
  assert.deepEqual(plans.get('paid')?.credentials, new Set(['api_key', 'playground']))
})

test('a contribution without its consent is treated as zero retention', () => {
  const terms = { version: '1', acceptedAt: new Date(0), acceptedBy: 'someone' }
  assert.equal(retentionInForce('contributor', null), 'zero')
  assert.equal(retentionInForce('contributor', terms), 'contributor')
  assert.equal(retentionInForce('standard', null), 'standard')
  assert.equal(retentionInForce('zero', terms), 'zero')
})
