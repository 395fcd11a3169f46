import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeUntil, waitUntil } from './measure.ts'

test('waitUntil returns how long it took until the condition held', async () => {
  let looks = 0
  const tookMs = await waitUntil('three looks', () => (looks += 1) === 3, 10_000, { pollMs: 5 })
  assert.equal(looks, 3)
  assert.ok(tookMs > 0 && tookMs < 10_000, `${tookMs} ms`)
})

test('waitUntil throws at its timeout and says what it waited for', async () => {
  const waiting = waitUntil('the engine to be idle', () => false, 50)
  await assert.rejects(waiting, new Error('waited 0.05 s for the engine to be idle'))
})

test('waitUntil says what was there instead', async () => {
  const counting = waitUntil('two records', () => false, 50, { seen: async () => 1 })
  await assert.rejects(counting, new Error('waited 0.05 s for two records; last seen: 1'))
  const reading = waitUntil('an answer', () => false, 50, { seen: () => 'status 500' })
  await assert.rejects(reading, new Error('waited 0.05 s for an answer; last seen: status 500'))
})

test('what the condition throws ends the waiting at once', async () => {
  const error = new Error('the server ended')
  const failing = () => {
    throw error
  }
  await assert.rejects(waitUntil('the server to be ready', failing, 60_000), error)
})

test('timeUntil is null for a condition that never held', async () => {
  assert.equal(await timeUntil(() => false, 50), null)
  assert.equal(typeof (await timeUntil(() => true, 50)), 'number')
})
