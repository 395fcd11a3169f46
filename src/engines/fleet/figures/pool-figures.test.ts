import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPoolFigures } from './pool-figures.ts'

const MINUTE_MS = 60_000

function createClock() {
  let nowMs = 0
  return { now: () => nowMs, pass: (ms: number) => void (nowMs += ms) }
}

test('the ten heaviest organizations are shown, heaviest first', () => {
  const figures = createPoolFigures(() => 0)
  for (let each = 1; each <= 12; each += 1) figures.ended(`o${each}`, each * 100)
  const { tokens, heaviest } = figures.view()
  assert.equal(tokens, 7_800)
  assert.deepEqual(
    heaviest.map(({ organization_id: id }) => id),
    Array.from({ length: 10 }, (_, at) => `o${12 - at}`),
  )
  assert.deepEqual(heaviest[0], { organization_id: 'o12', tokens: 1_200 })
})

test('use counts half after five minutes, also when the sums are rebased', () => {
  const clock = createClock()
  const figures = createPoolFigures(clock.now)
  figures.ended('early', 1_024_000)
  clock.pass(5 * MINUTE_MS)
  assert.deepEqual(figures.view().heaviest, [{ organization_id: 'early', tokens: 512_000 }])
  clock.pass(50 * MINUTE_MS)
  figures.ended('late', 2_000)
  assert.deepEqual(figures.view().heaviest, [
    { organization_id: 'late', tokens: 2_000 },
    { organization_id: 'early', tokens: 500 },
  ])
  assert.equal(figures.view().tokens, 2_500)
})

test('any number of small organizations does not hide a heavy one', () => {
  const figures = createPoolFigures(() => 0)
  for (let each = 0; each < 10_000; each += 1) {
    figures.ended(`small ${each}`, 10)
    if (each % 10 === 0) figures.ended('heavy', 1_000)
  }
  const [first] = figures.view().heaviest
  assert.deepEqual(first, { organization_id: 'heavy', tokens: 1_000_000 })
})

test('what runs and what was refused is counted', () => {
  const figures = createPoolFigures(() => 0)
  figures.began()
  figures.began()
  figures.ended('o', undefined)
  figures.refused('queue_full')
  const { running, refusals, tokens } = figures.view()
  assert.deepEqual(
    { running, refusals, tokens },
    {
      running: 1,
      refusals: { queue_full: 1, too_long: 0, timed_out: 0 },
      tokens: 0,
    },
  )
})
