import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchReads, TooBusy } from './batch-reads.ts'

const LIMITS = { running: 2, keys: 3, waiting: 4, deadlineMs: 1_000 }

/** Reads that end when the test says so, and the keys of each that has begun. */
function createReads() {
  const begun: (readonly number[])[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const read = async (keys: readonly number[]) => {
    const gate = Promise.withResolvers<void>()
    begun.push(keys)
    gates.push(gate)
    await gate.promise
    return keys.map((key) => key * 10)
  }
  return { begun, gates, read }
}

test('a key is read at once, those that come meanwhile together and in order', async () => {
  const { begun, gates, read } = createReads()
  const ask = batchReads(LIMITS, read)
  const results = [1, 2, 3, 4, 5, 6].map((key) => ask(`${key}`, key))
  assert.deepEqual(begun, [[1], [2]])
  gates[0]?.resolve()
  assert.equal(await results[0], 10)
  await new Promise(setImmediate)
  assert.deepEqual(begun, [[1], [2], [3, 4, 5]])
  for (const at of [1, 2]) gates[at]?.resolve()
  await new Promise(setImmediate)
  assert.deepEqual(begun.slice(3), [[6]])
  gates[3]?.resolve()
  assert.deepEqual(await Promise.all(results), [10, 20, 30, 40, 50, 60])
})

test('a key that waits is read once, one that is being read is read again', async () => {
  const { begun, gates, read } = createReads()
  const ask = batchReads({ ...LIMITS, running: 1 }, read)
  const results = [ask('1', 1), ask('1', 1), ask('1', 1)]
  gates[0]?.resolve()
  await results[0]
  await new Promise(setImmediate)
  gates[1]?.resolve()
  assert.deepEqual(await Promise.all(results), [10, 10, 10])
  assert.deepEqual(begun, [[1], [1]])
})

test('beyond the limit of waiting keys a read is rejected at once', async () => {
  const { gates, read } = createReads()
  const ask = batchReads({ ...LIMITS, running: 1 }, read)
  const results = [1, 2, 3, 4, 5].map((key) => ask(`${key}`, key))
  await assert.rejects(ask('6', 6), TooBusy)
  gates[0]?.resolve()
  await results[0]
  for (const at of [1, 2]) {
    await new Promise(setImmediate)
    gates[at]?.resolve()
  }
  assert.deepEqual(await Promise.all(results), [10, 20, 30, 40, 50])
})

test('if a batch fails, all that wait fail with it, and later ones are read', async () => {
  const { begun, gates, read } = createReads()
  const ask = batchReads({ ...LIMITS, running: 1 }, read)
  const results = [1, 2, 3].map((key) => ask(`${key}`, key))
  const settled = Promise.allSettled(results)
  gates[0]?.reject(new Error('gone'))
  assert.ok((await settled).every(({ status }) => status === 'rejected'))
  const later = ask('4', 4)
  gates[1]?.resolve()
  assert.equal(await later, 40)
  assert.deepEqual(begun, [[1], [4]])
})

test('beyond its deadline a key is given up, and is not read if it still waited', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { begun, gates, read } = createReads()
  const ask = batchReads({ ...LIMITS, running: 1 }, read)
  const late = [ask('1', 1), ask('2', 2)].map((each) => assert.rejects(each, TooBusy))
  t.mock.timers.tick(1_000)
  await Promise.all(late)
  const later = ask('3', 3)
  gates[0]?.resolve()
  await new Promise(setImmediate)
  gates[1]?.resolve()
  assert.equal(await later, 30)
  assert.deepEqual(begun, [[1], [3]])
})
