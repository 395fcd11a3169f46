import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/valkey.ts'
import { openBeatExchange } from './beat-exchange.ts'

type Reply = {
  readonly epoch: number
  readonly watch: Readonly<Record<string, 1>>
  readonly capacity: Readonly<Record<string, number>>
}

/** Processes on a server of their own. */
async function openProcesses(t: TestContext) {
  const server = await startValkey()
  t.after(() => server.kill())
  const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openBeatExchange(valkey)
  const known = new Set<string>()
  /** What `process` tells, as the controller and the one that watches `engine`. */
  const beat = async (
    process: string,
    { found = {}, ask = [] as string[], watch = [] as string[] },
  ) => {
    const report = { process, known: known.has(process), watch, capacity: { found, ask } }
    known.add(process)
    return (await exchange(report)) as Reply
  }
  const found = () => valkey.call('HGETALL', ['{fleet}:main:found'])
  return { beat, found }
}

test('what a watcher finds is stored, and every change raises the epoch', async (t) => {
  const { beat, found } = await openProcesses(t)
  const { epoch, watch } = await beat('a', { watch: ['one'] })
  assert.deepEqual(watch, { one: 1 })
  const lowered = await beat('a', { watch: ['one'], found: { one: 10 } })
  assert.deepEqual(await found(), ['one', '10'])
  assert.equal(lowered.epoch, epoch + 1)
  const same = await beat('a', { watch: ['one'], found: { one: 10 } })
  assert.equal(same.epoch, lowered.epoch)
  const unbounded = await beat('a', { watch: ['one'], found: { one: 0 } })
  assert.deepEqual(await found(), [])
  assert.equal(unbounded.epoch, lowered.epoch + 1)
})

test('a process that does not watch changes nothing, and learns what was found', async (t) => {
  const { beat, found } = await openProcesses(t)
  await beat('a', { watch: ['one'], found: { one: 10 } })
  const other = await beat('b', { watch: ['one'], found: { one: 3 }, ask: ['one', 'two'] })
  assert.deepEqual(other.watch, {})
  assert.deepEqual(other.capacity, { one: 10, two: 0 })
  assert.deepEqual(await found(), ['one', '10'])
})
