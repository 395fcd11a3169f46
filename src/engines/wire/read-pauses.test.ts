import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadPauses } from './read-pauses.ts'

test('an idle process pauses no stream', () => {
  const stream = { resumeReads: () => assert.fail('it was not paused') }
  assert.equal(createReadPauses(40, () => 0.1).pause(stream), false)
})

test('in a busy process, paused streams resume together, after 40 ms at the latest', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const readPauses = createReadPauses(40, () => 0.9)
  const ended: string[] = []
  assert.equal(readPauses.pause({ resumeReads: () => ended.push('a') }), true)
  context.mock.timers.tick(35)
  assert.equal(readPauses.pause({ resumeReads: () => ended.push('b') }), true)
  assert.deepEqual(ended, [])
  context.mock.timers.tick(5)
  assert.deepEqual(ended, ['a', 'b'])
})

test('the busier the process, the longer the pause', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const readPauses = createReadPauses(40, () => 0.3)
  let ended = 0
  readPauses.pause({ resumeReads: () => (ended += 1) })
  context.mock.timers.tick(15)
  assert.equal(ended, 0)
  context.mock.timers.tick(1)
  assert.equal(ended, 1)
})

test('many streams resume over several turns of the event loop', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const readPauses = createReadPauses(40, () => 0.9)
  let ended = 0
  for (let stream = 0; stream < 36; stream += 1)
    readPauses.pause({ resumeReads: () => (ended += 1) })
  context.mock.timers.tick(40)
  const turns = [ended]
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise(setImmediate)
    turns.push(ended)
  }
  assert.deepEqual(turns, [8, 16, 24, 32, 36])
})
