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
  return { beat, found, exchange, valkey }
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

test('an engine that nobody named for two minutes is forgotten', async (t) => {
  const { beat, found, exchange, valkey } = await openProcesses(t)
  await beat('a', { watch: ['one'], found: { one: 10 } })
  const told = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
  const times = { ageMs: 0, leftMs: 0, probedMs: false }
  const engine = 'one http://one model'
  const known = { kind: 'known', engine, told: { ...told, ...times } }
  await exchange({ process: 'a', known: true, states: { version: 0, events: [known] } })
  const name = (key: string) => `{fleet}:main:${key}`
  await valkey.call('ZADD', [name('used'), Date.now() - 120_001, engine])
  await exchange({ process: 'a', known: true, states: { version: 0, events: [], engines: [] } })
  assert.deepEqual(await found(), [])
  for (const hash of ['watchers', 'states', 'capacity'])
    assert.equal(await valkey.call('HLEN', [name(hash)]), 0, hash)
})
