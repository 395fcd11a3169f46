import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitConcurrency, TooBusy } from './limit-concurrency.ts'

const LIMITS = { running: 2, waiting: 3, deadlineMs: 1_000 }

/** Tasks that end when the test says so, and the numbers of those that have started. */
function createTasks() {
  const started: number[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const create = (number: number) => async () => {
    started.push(number)
    gates[number] = Promise.withResolvers()
    await gates[number].promise
    return number
  }
  return { started, gates, create }
}

test('at most so many tasks run at once, the others in order', async () => {
  const { started, gates, create } = createTasks()
  const run = limitConcurrency(LIMITS)
  const results = [0, 1, 2, 3, 4].map((number) => run(create(number)))
  await new Promise(setImmediate)
  assert.deepEqual(started, [0, 1])
  for (const number of [0, 1, 2, 3, 4]) {
    gates[number]?.resolve()
    assert.equal(await results[number], number)
    await new Promise(setImmediate)
  }
  assert.deepEqual(started, [0, 1, 2, 3, 4])
})

test('a task beyond the limit of waiting ones is rejected at once', async () => {
  const { started, create } = createTasks()
  const run = limitConcurrency(LIMITS)
  for (const number of [0, 1, 2, 3, 4]) run(create(number)).catch(() => undefined)
  await assert.rejects(run(create(5)), TooBusy)
  assert.deepEqual(started, [0, 1])
})

test('a task that has waited for too long is not started, and a later one is', async () => {
  let nowMs = 0
  const { started, gates, create } = createTasks()
  const run = limitConcurrency(LIMITS, () => nowMs)
  const results = [0, 1, 2].map((number) => run(create(number)))
  await new Promise(setImmediate)
  nowMs = 500
  const later = run(create(3))
  nowMs = 1_200
  gates[0]?.resolve()
  await assert.rejects(results[2] ?? Promise.resolve(), TooBusy)
  await new Promise(setImmediate)
  gates[3]?.resolve()
  assert.equal(await later, 3)
  assert.deepEqual(started, [0, 1, 3])
  gates[1]?.resolve()
  assert.equal(await results[1], 1)
})

test('a task that fails makes room too', async () => {
  const run = limitConcurrency({ ...LIMITS, running: 1 })
  await assert.rejects(
    run(async () => {
      throw new Error('failed')
    }),
    { message: 'failed' },
  )
  assert.equal(await run(async () => 1), 1)
})

test('a task beyond its deadline is given up, and keeps its place while it runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const limit = limitConcurrency({ running: 1, waiting: 1, deadlineMs: 1_000 })
  const slow = Promise.withResolvers<void>()
  const running = limit(() => slow.promise)
  const waiting = limit(() => Promise.resolve())
  const both = Promise.all([assert.rejects(running, TooBusy), assert.rejects(waiting, TooBusy)])
  t.mock.timers.tick(1_000)
  await both
  await assert.rejects(
    limit(() => Promise.resolve()),
    TooBusy,
  )
  slow.resolve()
})
