import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import { ValkeyUnavailable } from '../valkey/valkey.ts'
import { openHeartbeatExchange } from './heartbeat-exchange.ts'
import { openModelEngines } from './model-engines.ts'

const ENGINE = 'one 127.0.0.1:1 model'
const OWN = 'one 127.0.0.1:1 own'
const READY = { state: 'ready', why: '', level: 0, tries: 0, limit: false }
const KNOWN = { ...READY, ageMs: 0, leftMs: 0, probedMs: false }

/** A process that has told of one engine, which serves one organization another model. */
async function openFleet(t: TestContext) {
  const server = await startValkey()
  t.after(() => server[Symbol.asyncDispose]())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  const exchange = openHeartbeatExchange(valkey)
  const tell = (...events: readonly object[]) =>
    exchange({ process: 'a', known: true, states: { version: 0, events } })
  const reserved = { [OWN]: { organization: 'o', models: ['n'] } }
  const identities = { [ENGINE]: ['m'], [OWN]: [] }
  const known = { [ENGINE]: { tool_choice: true, json_schema: false } }
  const one = JSON.stringify({ slots: 4, identities, reserved, known })
  const leases = { names: ['one'], keep: [0], running: [0], described: { one } }
  await exchange({ process: 'a', known: false, leases })
  const read = () => openModelEngines(valkey)('main')
  const engineOf = async (model: string) => (await read())?.get(model)?.engines[0]
  return { valkey, tell, read, engineOf }
}

test('an engine of which no process told a state is neither in nor out', async (t) => {
  const { engineOf } = await openFleet(t)
  assert.deepEqual(await engineOf('m'), {
    name: 'one',
    slots: 4,
    organization: null,
    serves: null,
    outSinceMs: null,
    known: { tool_choice: true, json_schema: false },
  })
})

test('what an engine can do is told of each identity', async (t) => {
  const { engineOf } = await openFleet(t)
  assert.deepEqual((await engineOf('m'))?.known, { tool_choice: true, json_schema: false })
  assert.deepEqual((await engineOf('n'))?.known, {})
})

test('an engine that is out says since when, whatever trials there are in between', async (t) => {
  const { valkey, tell, engineOf } = await openFleet(t)
  await tell({ engine: ENGINE, kind: 'known', told: KNOWN })
  assert.equal((await engineOf('m'))?.serves, true)
  await tell({ engine: ENGINE, kind: 'refused', why: 'refused' })
  const out = await engineOf('m')
  assert.equal(out?.serves, false)
  assert.ok(out.outSinceMs !== null)
  await valkey.call('ZADD', ['{fleet:main}:due', 1, ENGINE])
  await tell()
  assert.match(String(await valkey.call('HGET', ['{fleet:main}:states', ENGINE])), /"trial"/)
  await tell({ engine: ENGINE, kind: 'checked', result: 'failed', why: 'refused' })
  assert.deepEqual(await engineOf('m'), out)
})

test('a failed trial does not make an engine that is out look newly ejected', async (t) => {
  const { valkey, tell } = await openFleet(t)
  const HOUR_MS = 3_600_000
  await tell({
    engine: ENGINE,
    kind: 'known',
    told: { ...KNOWN, state: 'ejected', ageMs: HOUR_MS },
  })
  await valkey.call('ZADD', ['{fleet:main}:due', 1, ENGINE])
  await tell()
  const failed = { engine: ENGINE, kind: 'checked', result: 'failed', why: 'refused' }
  const reply = (await tell(failed)) as {
    states: { engines: Record<string, { state: string; ageMs: number }> }
  }
  const { state, ageMs } = reply.states.engines[ENGINE]!
  assert.equal(state, 'ejected')
  assert.ok(ageMs >= HOUR_MS, `${ageMs} ms`)
})

test('an engine that an operator keeps out does not serve', async (t) => {
  const { valkey, tell, engineOf } = await openFleet(t)
  await tell({ engine: ENGINE, kind: 'known', told: KNOWN })
  await valkey.call('HSET', ['{fleet:main}:orders', 'one', 'draining'])
  assert.deepEqual((await engineOf('m'))?.serves, false)
})

test('a request that waits is told, and the organization of a reserved engine', async (t) => {
  const { valkey, read } = await openFleet(t)
  await valkey.call('SADD', ['{fleet:main}:waiting', 'm'])
  const known = await read()
  assert.deepEqual([known?.get('m')?.isWaitedFor, known?.get('n')?.isWaitedFor], [true, false])
  assert.equal(known?.get('n')?.engines[0]?.organization, 'o')
})

test('nothing is known without a process, after a loss of data, and without Valkey', async (t) => {
  const { valkey, read } = await openFleet(t)
  assert.equal((await read())?.size, 2)
  await valkey.call('SET', ['{fleet:main}:settling', Date.now() + 4_000])
  assert.equal(await read(), undefined)
  await valkey.call('DEL', ['{fleet:main}:settling'])
  await valkey.call('ZADD', ['{fleet:main}:processes', Date.now() - 6_000, 'a'])
  assert.equal(await read(), undefined)
  await valkey.call('DEL', ['{fleet:main}:processes'])
  assert.equal(await read(), undefined)
  const gone = openModelEngines({ call: () => Promise.reject(new ValkeyUnavailable('gone')) })
  assert.equal(await gone('main'), undefined)
})

test('many that ask at once cause one read', async (t) => {
  const { valkey } = await openFleet(t)
  let reads = 0
  const readEngines = openModelEngines({
    call: (command, args) => {
      reads += command === 'EVALSHA' ? 1 : 0
      return valkey.call(command, args)
    },
  })
  await Promise.all(Array.from({ length: 50 }, () => readEngines('main')))
  assert.equal(reads, 1)
})
