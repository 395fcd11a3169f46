import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeZone } from '../../../../test/harness/processes/time-zone.ts'
import { daysIn, dayText, rangeOf } from './period.ts'
import { readUsageSearch } from './search.ts'
import { rowsOf, seriesOf, sortRows, type Sum } from './usage-rows.ts'

const NAMES = { noMember: 'nobody', playgroundOf: (name: string) => name }

function sum(day: string, model: string, requests: number): Sum {
  const counts = { prompt_tokens: 1, cached_tokens: 0, completion_tokens: 1, reasoning_tokens: 0 }
  const cost = { amount: '', amount_micro: requests * 10, currency: 'USD' }
  return { day, model, requests, failed: 0, ...counts, cost }
}

test('periods are whole UTC days whatever the zone of the browser is', () => {
  // Already the 16th in Kolkata, still the 15th in Los Angeles.
  const now = Date.parse('2026-11-15T23:30Z')
  for (const zone of ['Asia/Kolkata', 'America/Los_Angeles', 'UTC']) {
    setTimeZone(zone)
    const texts = (['today', '7', '30', '90', 'month'] as const).map((period) => {
      const range = rangeOf({ period }, now)
      return `${dayText(range.from)} ${dayText(range.to)} ${daysIn(range)}`
    })
    assert.deepEqual(texts, [
      '2026-11-15 2026-11-16 1',
      '2026-11-09 2026-11-16 7',
      '2026-10-17 2026-11-16 30',
      '2026-08-18 2026-11-16 90',
      '2026-11-01 2026-11-16 15',
    ])
  }
})

test('a custom period has its last day, and a broken one falls back', () => {
  const leap = readUsageSearch({ period: 'custom', from: '2028-02-28', to: '2028-03-01' })
  assert.equal(daysIn(rangeOf(leap, 0)), 3)
  assert.equal(daysIn(rangeOf(readUsageSearch({ period: 'custom', from: '2028-02-30x' }), 0)), 30)
  const backwards = { period: 'custom', from: '2028-03-01', to: '2028-02-28' } as const
  assert.equal(daysIn(rangeOf(backwards, 0)), 30)
})

test('every day of the period has a row, days to come only if something was summed there', () => {
  const range = { from: Date.parse('2028-02-28'), to: Date.parse('2028-03-03') }
  const data = [sum('2028-02-29', 'a', 3), sum('2028-02-29', 'b', 4)]
  const now = Date.parse('2028-02-28T12:00Z')
  const rows = rowsOf(data, 'day', { range, now, names: NAMES })
  assert.deepEqual(
    rows.map(({ id, figures }) => [id, figures.requests]),
    [
      ['2028-02-28', 0],
      ['2028-02-29', 7],
    ],
  )
  assert.deepEqual(
    sortRows(rows, 'requests', false).map(({ id }) => id),
    ['2028-02-29', '2028-02-28'],
  )
})

test('the series of a chart add up to the sums, largest first', () => {
  const range = { from: Date.parse('2028-02-28'), to: Date.parse('2028-03-01') }
  const data = [sum('2028-02-28', 'a', 3), sum('2028-02-29', 'a', 1), sum('2028-02-29', 'b', 9)]
  const { series, starts } = seriesOf(data, {
    unit: 'day',
    split: 'model',
    measure: 'cost',
    range,
    names: NAMES,
    known: new Map(),
    all: 'all',
    failed: 'failed',
    others: String,
  })
  assert.equal(starts.length, 2)
  assert.deepEqual(
    series.map(({ name, values }) => [name, ...values]),
    [
      ['b', 0, 90],
      ['a', 30, 10],
    ],
  )
})
