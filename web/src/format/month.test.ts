import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utcMonth, utcMonthsSince } from './month.ts'

test('a month is a UTC month, also across a turn of the year', () => {
  const lastMoment = Date.UTC(2026, 11, 31, 23, 59, 59)
  assert.deepEqual(utcMonth(lastMoment), { from: '2026-12-01', to: '2027-01-01' })
  assert.deepEqual(utcMonth(Date.UTC(2027, 0, 1), 2), { from: '2026-11-01', to: '2026-12-01' })
})

test('months go back to the one in which something began, and no further than the bound', () => {
  const fromOf = (since: number, max: number) =>
    utcMonthsSince(Date.UTC(2027, 1, 3), since, max).map(({ from }) => from)
  assert.deepEqual(fromOf(Date.UTC(2027, 1, 3), 6), ['2027-02-01'])
  const three = ['2027-02-01', '2027-01-01', '2026-12-01']
  assert.deepEqual(fromOf(Date.UTC(2026, 11, 31), 6), three)
  assert.deepEqual(fromOf(Date.UTC(2020, 0, 1), 3), three)
  assert.deepEqual(fromOf(Date.UTC(2030, 0, 1), 3), ['2027-02-01'])
})
