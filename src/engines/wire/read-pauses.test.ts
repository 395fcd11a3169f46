import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createReadPauses, createReplyPauses } from './read-pauses.ts'

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

/** Pauses of replies at a time that the test sets; `resumed` has the names of readers. */
function startReplies(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = { nowMs: 0 }
  const resumed: string[] = []
  const begin = createReplyPauses(() => clock.nowMs)
  const reader = (name: string) => ({ resumeReads: () => void resumed.push(name) })
  return { clock, resumed, begin, reader, tick: (ms: number) => context.mock.timers.tick(ms) }
}

test('a reply is read at once at first, then in pauses of an eighth of its time', (context) => {
  const { clock, resumed, begin, reader, tick } = startReplies(context)
  const pauses = begin()
  clock.nowMs = 255
  assert.equal(pauses.pause(reader('a')), false)
  clock.nowMs = 640
  assert.equal(pauses.pause(reader('a')), true)
  tick(63)
  assert.deepEqual(resumed, [])
  tick(1)
  assert.deepEqual(resumed, ['a'])
})

test('replies that began at different times resume together', (context) => {
  const { clock, resumed, begin, reader, tick } = startReplies(context)
  const early = begin()
  clock.nowMs = 700
  const late = begin()
  clock.nowMs = 1_001
  early.pause(reader('early'))
  late.pause(reader('late'))
  tick(22)
  assert.deepEqual(resumed, [])
  tick(1)
  assert.deepEqual(resumed, ['early', 'late'])
})

test('a pause of a long reply ends after 256 ms', (context) => {
  const { clock, resumed, begin, reader, tick } = startReplies(context)
  const pauses = begin()
  clock.nowMs = 256 * 10_000
  assert.equal(pauses.pause(reader('a')), true)
  tick(255)
  assert.deepEqual(resumed, [])
  tick(1)
  assert.deepEqual(resumed, ['a'])
})
