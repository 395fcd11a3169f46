import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMeters, type Peeked } from './meters.ts'

const LIMITS = {
  requestsPerMinute: 60,
  requestsPerDay: 100,
  tokensPerMinute: 1_000,
  tokensPerDay: 5_000,
}
const FREE = { billing: 'none', granted: 0, spent: 0 } as const
const NOON_MS = Date.UTC(2026, 4, 1, 12)
const NOTHING = { requestDebt: 0, tokenDebt: 0, requestsToday: 0, tokensToday: 0 }

function peeked(change: Partial<Peeked> = {}): Peeked {
  const used = { atMs: NOON_MS, ...NOTHING }
  return { nowMs: NOON_MS, used, spent: null, reserved: 0, running: 0, ...change }
}

test('a debt is paid back with time, and a new day starts at zero', () => {
  const used = { ...NOTHING, atMs: NOON_MS, requestDebt: 120_000, requestsToday: 7 }
  const at = (nowMs: number) => readMeters(LIMITS, FREE, peeked({ used, nowMs })).capacities
  assert.deepEqual(at(NOON_MS).requestsPerMinute, { limit: 60, remaining: 58, resetMs: 2_000 })
  assert.deepEqual(at(NOON_MS + 1_500).requestsPerMinute, {
    limit: 60,
    remaining: 59,
    resetMs: 500,
  })
  assert.equal(at(NOON_MS).requestsPerDay.remaining, 93)
  assert.equal(at(NOON_MS + 43_200_000).requestsPerDay.remaining, 100)
  assert.equal(at(NOON_MS).requestsPerDay.resetMs, 43_200_000)
})

test('the balance follows the newer of what is posted and what Valkey counted', () => {
  const prepaid = { billing: 'prepaid', granted: 1_000, spent: 300 } as const
  const balance = (spent: number | null) =>
    readMeters(LIMITS, prepaid, peeked({ spent, reserved: 50 })).balance
  assert.deepEqual([balance(null), balance(400), balance(200)], [700, 600, 700])
  assert.equal(readMeters(LIMITS, FREE, peeked({ spent: 5 })).balance, null)
})
