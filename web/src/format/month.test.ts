import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utcMonth } from './month.ts'

test('a month is a UTC month, also across a turn of the year', () => {
  const lastMoment = Date.UTC(2026, 11, 31, 23, 59, 59)
  assert.deepEqual(utcMonth(lastMoment), { from: '2026-12-01', to: '2027-01-01' })
  assert.deepEqual(utcMonth(Date.UTC(2027, 0, 1), 2), { from: '2026-11-01', to: '2026-12-01' })
})
