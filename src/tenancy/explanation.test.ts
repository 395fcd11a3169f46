import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { uuidV7 } from '../lib/uuid.ts'
import { explain } from './explanation.ts'
import { costOf } from './price.ts'
import type { Refusal } from './refusal.ts'
import type { UsageRecord } from './usage-record.ts'

const MADE_MS = Date.UTC(2026, 4, 1)
const REFUSAL: Refusal = {
  id: uuidV7(MADE_MS),
  organizationId: 'o',
  projectId: 'p',
  credentialId: 'k',
  credentialKind: 'api_key',
  accountId: 'a',
  status: 429,
  code: 'rate_limit_exceeded',
  param: null,
  model: 'm',
  limits: ['requestsPerMinute'],
  retryAfterMs: 1_500,
}
const RECORD = {
  ...REFUSAL,
  outcome: 'failed',
  basis: 'engine_partial',
  promptTokens: 10,
  cachedTokens: 4,
  completionTokens: 3,
  reasoningTokens: 0,
  price: null,
  cost: 0,
  reserved: 9,
  retention: 'zero',
  queuedMs: 1,
  firstTokenMs: null,
  durationMs: 5,
  settledAtMs: MADE_MS + 5,
  engine: 'one',
  attempts: 2,
  instance: 'i',
} as unknown as UsageRecord

test('a refusal has an error and no usage, a record has usage, a failed one may have both', () => {
  const refused = explain(undefined, REFUSAL)
  assert.deepEqual([refused.outcome, refused.tokens, refused.served], ['refused', null, null])
  assert.deepEqual(refused.error?.limits, ['requestsPerMinute'])
  assert.equal(refused.madeAtMs, MADE_MS)
  const settled = explain(RECORD, undefined)
  assert.deepEqual([settled.outcome, settled.error, settled.served?.attempts], ['failed', null, 2])
  const both = explain(RECORD, REFUSAL)
  assert.deepEqual([both.outcome, both.error?.status, both.cost?.reserved], ['failed', 429, 9])
})

test('the lines of a cost sum up to it, rounded down to whole micro-units', () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 - 1 })
  const micro = fc.integer({ min: 0, max: 1_000_000_000 })
  const price = fc.record({ input: micro, cachedInput: micro, output: micro })
  fc.assert(
    fc.property(
      count,
      count,
      count,
      price,
      (promptTokens, cachedTokens, completionTokens, each) => {
        const counts = { promptTokens, cachedTokens, completionTokens }
        const cost = costOf(counts, each)
        const record = { ...RECORD, ...counts, price: each, cost }
        const lines = explain(record, undefined).cost?.lines ?? []
        const sum = lines.reduce((total, { millionths }) => total + millionths, 0n)
        assert.equal(Number(sum / 1_000_000n), cost)
      },
    ),
  )
})
