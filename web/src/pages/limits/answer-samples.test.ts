import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capacityHeaders } from '../../../../src/inference/headers.ts'
import { ERRORS } from '../../../../src/contract/error.ts'
import { paymentRequired, rateLimitHeaders, tooManyRequests } from './answer-samples.ts'

const METER = { limit: 60_000, remaining: 10_700, reset_ms: 49_300 }
const NOW = {
  at: '2026-11-15T12:04:31.000Z',
  requests_per_minute: { limit: 120, remaining: 87, reset_ms: 16_500 },
  requests_per_day: { limit: 10_000, remaining: 7_488, reset_ms: 42_929_000 },
  tokens_per_minute: METER,
  tokens_per_day: { limit: 10_000_000, remaining: 6_892_596, reset_ms: 42_929_000 },
  running: 5,
  concurrent_requests: 20,
  concurrent_requests_per_key: null,
  concurrent_requests_per_model: {},
  balance: null,
  reserved: null,
}

test('the headers shown are the twelve that the API sends, with the same values', () => {
  const capacityOf = ({ limit, remaining, reset_ms }: typeof METER) => ({
    limit,
    remaining,
    resetMs: reset_ms,
  })
  const sent = capacityHeaders(
    {
      requestsPerMinute: capacityOf(NOW.requests_per_minute),
      requestsPerDay: capacityOf(NOW.requests_per_day),
      tokensPerMinute: capacityOf(NOW.tokens_per_minute),
      tokensPerDay: capacityOf(NOW.tokens_per_day),
    },
    true,
  )
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  assert.deepEqual(rateLimitHeaders(NOW), lines)
})

test('the refusals shown have status, type and code of the error table', () => {
  for (const [sample, row] of [
    [tooManyRequests(NOW), ERRORS.rate_limit_exceeded],
    [paymentRequired(), ERRORS.insufficient_balance],
  ] as const) {
    assert.ok(sample.startsWith(`HTTP/1.1 ${row.status} `))
    assert.ok(sample.includes(`"type": "${row.type}"`))
    assert.ok(sample.includes(`"code": "${row.code}"`))
  }
})
