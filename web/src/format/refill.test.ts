import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remainingAfter, resetAfter } from './refill.ts'

const REPORTED = { limit: 120, remaining: 60, reset_ms: 30_000 }

test('capacity per minute comes back evenly and never exceeds the limit', () => {
  assert.equal(remainingAfter(REPORTED, 0, 'evenly'), 60)
  assert.equal(remainingAfter(REPORTED, 15_000, 'evenly'), 90)
  assert.equal(remainingAfter(REPORTED, 30_000, 'evenly'), 120)
  assert.equal(remainingAfter(REPORTED, 90_000, 'evenly'), 120)
})

test('capacity per day stays until the reset and is whole after it', () => {
  assert.equal(remainingAfter(REPORTED, 29_999, 'at-once'), 60)
  assert.equal(remainingAfter(REPORTED, 30_000, 'at-once'), 120)
})

test('a clock that went back changes nothing', () => {
  assert.equal(remainingAfter(REPORTED, -5_000, 'evenly'), 60)
  assert.equal(resetAfter(REPORTED, -5_000), 30_000)
})

test('more than the limit, after a limit was lowered, is shown as it is', () => {
  assert.equal(remainingAfter({ ...REPORTED, remaining: 200 }, 10, 'evenly'), 200)
})

test('the time to the reset ends at zero', () => {
  assert.equal(resetAfter(REPORTED, 10_000), 20_000)
  assert.equal(resetAfter(REPORTED, 40_000), 0)
})
