import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeZone } from '../../../test/harness/processes/time-zone.ts'
import {
  bucketsBetween,
  colourOf,
  foldSeries,
  partsOf,
  sumsOf,
  ticksUpTo,
  timeTicks,
  unfinishedBar,
  utcMidnights,
  type ChartColour,
  type ChartSeries,
} from './chart-shape.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

function series(colour: ChartColour, ...values: number[]): ChartSeries {
  return { name: String(values), label: '', colour, values }
}

test('buckets are whole UTC days in any zone, also when clocks change and on leap days', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Los_Angeles']) {
    setTimeZone(zone)
    const leap = bucketsBetween(Date.parse('2028-02-28'), Date.parse('2028-03-02'), 'day')
    assert.deepEqual(
      leap.map((at) => new Date(at).toISOString()),
      ['2028-02-28T00:00:00.000Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    )
    // Los Angeles goes back an hour on 2 November 2025; a UTC day has 24 hours all the same.
    const change = Date.parse('2025-11-02')
    assert.equal(bucketsBetween(change, change + DAY, 'hour').length, 24)
  }
})

test('a bucket that has begun is in, and the end is out', () => {
  const from = Date.parse('2026-11-15T12:30Z')
  assert.deepEqual(bucketsBetween(from, from + HOUR, 'hour'), [
    Date.parse('2026-11-15T12:00Z'),
    Date.parse('2026-11-15T13:00Z'),
  ])
  assert.deepEqual(bucketsBetween(from, from, 'day').length, 1)
  assert.deepEqual(bucketsBetween(from, from - DAY, 'day'), [])
})

test('the number of bars is bounded, whatever years stand in the address', () => {
  assert.equal(bucketsBetween(0, Date.parse('9999-01-01'), 'hour').length, 3660)
})

test('the parts of a bar begin at zero, touch each other and end at its sum', () => {
  const all = [series(1, 5, 0), series(2, 0, 2), series('fail', 3, 1)]
  assert.deepEqual(partsOf(all, 0), [
    { colour: 1, from: 0, to: 5 },
    { colour: 'fail', from: 5, to: 8 },
  ])
  assert.deepEqual(partsOf(all, 1), [
    { colour: 2, from: 0, to: 2 },
    { colour: 'fail', from: 2, to: 3 },
  ])
  assert.deepEqual(sumsOf(all), [8, 3])
})

test('the seventh series and later are one, before failures, and nothing is lost', () => {
  const known = new Map<string, ChartColour>()
  const colours = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => colourOf(known, name))
  assert.deepEqual(colours, [1, 2, 3, 4, 5, 6, 'other', 'other'])
  assert.equal(colourOf(known, 'c'), 3, 'a name keeps its colour')
  const all = [series('fail', 1), ...colours.map((colour, index) => series(colour, index + 1))]
  const folded = foldSeries(all, '2 others')
  assert.deepEqual(
    folded.map((one) => one.colour),
    [1, 2, 3, 4, 5, 6, 'other', 'fail'],
  )
  assert.deepEqual(sumsOf(folded), sumsOf(all))
})

test('ticks are round, begin at zero and reach the highest bar in at most five steps', () => {
  assert.deepEqual(ticksUpTo(0), [0, 1])
  assert.deepEqual(ticksUpTo(1), [0, 1])
  assert.deepEqual(ticksUpTo(3), [0, 1, 2, 3])
  assert.deepEqual(ticksUpTo(11), [0, 5, 10, 15])
  assert.deepEqual(ticksUpTo(4_460_000), [0, 1e6, 2e6, 3e6, 4e6, 5e6])
  for (let max = 0; max < 1e9; max = max * 1.37 + 1) {
    const ticks = ticksUpTo(max)
    assert.ok((ticks.at(-1) ?? 0) >= max && ticks.length <= 6, `${max}: ${ticks.join()}`)
    assert.ok(ticks.every(Number.isInteger), `${max}: ${ticks.join()}`)
  }
})

test('days are labelled as UTC days in any zone, back from the last', () => {
  const days = bucketsBetween(Date.parse('2028-02-20'), Date.parse('2028-03-02'), 'day')
  for (const zone of ['Asia/Kolkata', 'America/Los_Angeles']) {
    setTimeZone(zone)
    const labels = timeTicks(days, 'day', 'local', 6).map(({ label }) => label)
    assert.deepEqual(labels.length, 6)
    assert.match(labels.at(-1) ?? '', /\b1\b/)
    assert.match(labels.at(-2) ?? '', /\b28\b/)
  }
})

test('hours are labelled at round hours of the zone on the days when its clocks change', () => {
  setTimeZone('America/Los_Angeles')
  const backwards = bucketsBetween(
    Date.parse('2025-11-02T07:00Z'),
    Date.parse('2025-11-03T08:00Z'),
    'hour',
  )
  assert.equal(backwards.length, 25)
  const labels = timeTicks(backwards, 'hour', 'local', 9).map(({ bar, label }) => [bar, label])
  assert.deepEqual(labels.slice(1, 4), [
    [4, '03:00'],
    [7, '06:00'],
    [10, '09:00'],
  ])
})

test('the line at 00:00 UTC stands where the UTC day begins, in any zone', () => {
  setTimeZone('Asia/Kolkata')
  const hours = bucketsBetween(
    Date.parse('2026-11-14T13:00Z'),
    Date.parse('2026-11-15T13:00Z'),
    'hour',
  )
  assert.deepEqual(utcMidnights(hours), [11])
  // They begin at 18:30, 00:30, 06:30 and 12:30 there.
  assert.deepEqual(
    timeTicks(hours, 'hour', 'local', 4).map(({ bar }) => bar),
    [0, 6, 12, 18],
  )
})

test('only the bar that is not over is unfinished', () => {
  const days = bucketsBetween(Date.parse('2026-11-13'), Date.parse('2026-11-16'), 'day')
  assert.equal(unfinishedBar(days, 'day', Date.parse('2026-11-15T23:59:59.999Z')), 2)
  assert.equal(unfinishedBar(days, 'day', Date.parse('2026-11-15T00:00Z')), 2)
  assert.equal(unfinishedBar(days, 'day', Date.parse('2026-11-16T00:00Z')), undefined)
})
