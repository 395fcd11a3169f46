import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCadence } from './cadence.ts'

test('with time to spare a reader is woken at once', () => {
  let woken = 0
  createCadence(40, () => 0.1).wake(() => (woken += 1))
  assert.equal(woken, 1)
})

test('a busy process wakes its readers together, within 40 ms', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const cadence = createCadence(40, () => 0.9)
  const woken: string[] = []
  cadence.wake(() => woken.push('a'))
  context.mock.timers.tick(35)
  cadence.wake(() => woken.push('b'))
  assert.deepEqual(woken, [])
  context.mock.timers.tick(5)
  assert.deepEqual(woken, ['a', 'b'])
})

test('nobody overtakes a reader that waits already', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  let busy = 0.9
  const cadence = createCadence(40, () => busy)
  const woken: string[] = []
  cadence.wake(() => woken.push('a'))
  busy = 0
  cadence.wake(() => woken.push('b'))
  context.mock.timers.tick(40)
  assert.deepEqual(woken, ['a', 'b'])
})

test('many readers are woken in turns, so that others get through in between', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const cadence = createCadence(40, () => 0.9)
  let woken = 0
  for (let reader = 0; reader < 100; reader += 1) cadence.wake(() => (woken += 1))
  context.mock.timers.tick(40)
  const turns = [woken]
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate)
    turns.push(woken)
  }
  assert.deepEqual(turns, [32, 64, 96, 100])
})
