import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumKept } from './sum-kept.ts'

const PERIODS = { standard_days: 30, contributor_days: 365 }

test('what is kept is summed over kinds, and is gone when the longest period is over', () => {
  const sum = sumKept(
    [
      { retention: 'standard', day: '2026-11-07', records: 5, more: false },
      { retention: 'standard', day: '2026-10-17', records: 3, more: false },
      { retention: 'contributor', day: '2026-10-17', records: 1, more: false },
    ],
    false,
    PERIODS,
  )
  assert.deepEqual(sum, {
    records: 9,
    more: false,
    days: 2,
    oldest: '2026-10-17',
    goneBy: Date.parse('2027-10-18'),
  })
})

test('a count that stopped, or another page, makes the sum a lower bound', () => {
  const day = { retention: 'standard', day: '2026-11-07', records: 5, more: false } as const
  assert.equal(sumKept([{ ...day, more: true }], false, PERIODS).more, true)
  assert.equal(sumKept([day], true, PERIODS).more, true)
  assert.equal(sumKept([], false, PERIODS).goneBy, null)
})
