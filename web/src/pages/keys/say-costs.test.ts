import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayCosts } from './say-costs.ts'

const NONE = { these: 7_760_000, rest: 0, playground: 0, currency: 'USD', isWhole: true }

test('what keys cost is a sum only if there is something else in it', () => {
  assert.equal(sayCosts(NONE), 'These keys used 7.76 USD in 30 days (UTC).')
  assert.equal(
    sayCosts({ ...NONE, rest: 1_000_000, playground: 240_000 }),
    'These keys 7.76 USD, revoked and expired keys 1.00 USD, playground 0.24 USD: ' +
      '9.00 USD in 30 days (UTC).',
  )
  assert.equal(
    sayCosts({ ...NONE, rest: 1_000_000, isWhole: false }),
    'These keys 7.76 USD, other keys 1.00 USD: 8.76 USD in 30 days (UTC).',
  )
})
