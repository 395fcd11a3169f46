import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'

type Reply = {
  readonly watch: Readonly<Record<string, 1>>
  readonly capacity: Readonly<Record<string, number>>
}

/** Processes on a server of their own. */
async function openProcesses(t: TestContext) {
  const server = await startValkey()
  t.after(() => server.kill())
  const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const known = new Set<string>()
  /** What `process` tells, as the controller and the one that watches `engine`. */
  const heartbeat = async (
    process: string,
    { found = {}, ask = [] as string[], watch = [] as string[] },
  ) => {
    const report = { process, known: known.has(process), watch, capacity: { found, ask } }
    known.add(process)
    return (await exchange(report)) as Reply
  }
  const found = () => valkey.call('HGETALL', ['{fleet:main}:found'])
  return { heartbeat, found, exchange, valkey }
}

test('what a watcher finds is stored, and bounds what may run', async (t) => {
  const { heartbeat, found, exchange, valkey } = await openProcesses(t)
  const description = JSON.stringify({ slots: 16, identities: { 'one http://one m': ['m'] } })
  const leases = { names: ['one'], keep: [0], running: [0], described: { one: description } }
  await exchange({ process: 'a', known: false, leases })
  const bound = () => valkey.call('HGET', ['{fleet:main}:bound', 'one'])
  assert.equal(await bound(), '16')
  const { watch } = await heartbeat('a', { watch: ['one'] })
  assert.deepEqual(watch, { one: 1 })
  await heartbeat('a', { watch: ['one'], found: { one: 10 } })
  assert.deepEqual([await found(), await bound()], [['one', '10'], '10'])
  await heartbeat('a', { watch: ['one'], found: { one: 0 } })
  assert.deepEqual([await found(), await bound()], [[], '16'])
})

test('a process that does not watch changes nothing, and learns what was found', async (t) => {
  const { heartbeat, found } = await openProcesses(t)
  await heartbeat('a', { watch: ['one'], found: { one: 10 } })
  const other = await heartbeat('b', { watch: ['one'], found: { one: 3 }, ask: ['one', 'two'] })
  assert.deepEqual(other.watch, {})
  assert.deepEqual(other.capacity, { one: 10, two: 0 })
  assert.deepEqual(await found(), ['one', '10'])
})

test('of an engine that nobody named for two minutes nothing is left', async (t) => {
  const { heartbeat, exchange, valkey } = await openProcesses(t)
  await heartbeat('a', { watch: ['one'], found: { one: 10 } })
  const told = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
  const times = { ageMs: 0, leftMs: 0, probedMs: false }
  const engine = 'one http://one model'
  const known = { kind: 'known', engine, told: { ...told, ...times } }
  const one = JSON.stringify({ slots: 16, identities: { [engine]: ['m'] } })
  const leases = { names: ['one'], keep: [0], running: [0], described: { one } }
  await exchange({ process: 'a', known: true, states: { version: 0, events: [known] }, leases })
  const name = (key: string) => `{fleet:main}:${key}`
  assert.deepEqual(await valkey.call('ZRANGE', [name('room:m'), 0, -1]), [])
  const longAgo = Date.now() - 120_001
  await valkey.call('ZADD', [name('used'), longAgo, engine])
  await valkey.call('ZADD', [name('named'), longAgo, 'one'])
  const states = { version: 0, events: [], engines: [] }
  await exchange({ process: 'a', known: true, figures: true, states, leases: { dropped: ['one'] } })
  const keys = (await valkey.call('KEYS', ['{fleet:*'])) as string[]
  const left = ['order-version', 'processes', 'states-version'].map(name)
  assert.deepEqual(keys.toSorted(), left)
})
