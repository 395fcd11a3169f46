import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCadence } from './cadence.ts'

test('with time to spare no stream rests', () => {
  const stream = { endRest: () => assert.fail('it did not rest') }
  assert.equal(createCadence(40, () => 0.1).rest(stream), false)
})

test('in a busy process streams go on together, none later than after 40 ms', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const cadence = createCadence(40, () => 0.9)
  const ended: string[] = []
  assert.equal(cadence.rest({ endRest: () => ended.push('a') }), true)
  context.mock.timers.tick(35)
  assert.equal(cadence.rest({ endRest: () => ended.push('b') }), true)
  assert.deepEqual(ended, [])
  context.mock.timers.tick(5)
  assert.deepEqual(ended, ['a', 'b'])
})

test('the busier the process, the longer the rest', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const cadence = createCadence(40, () => 0.3)
  let ended = 0
  cadence.rest({ endRest: () => (ended += 1) })
  context.mock.timers.tick(15)
  assert.equal(ended, 0)
  context.mock.timers.tick(1)
  assert.equal(ended, 1)
})

test('many streams go on in turns, so that others get through in between', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const cadence = createCadence(40, () => 0.9)
  let ended = 0
  for (let stream = 0; stream < 100; stream += 1) cadence.rest({ endRest: () => (ended += 1) })
  context.mock.timers.tick(40)
  const turns = [ended]
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate)
    turns.push(ended)
  }
  assert.deepEqual(turns, [32, 64, 96, 100])
})
