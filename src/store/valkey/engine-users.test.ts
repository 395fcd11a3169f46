import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { requireStack } from '../../../test/harness/service.ts'
import { connectValkey, startValkey } from '../../../test/harness/valkey.ts'
import { openEngineUsers, type EngineUsers } from './engine-users.ts'
import { ENGINE_REGISTRATIONS, engineSlotsKey, engineUsersKey } from './keys.ts'
import { ValkeyUnavailable, type Valkey } from './valkey.ts'

/** An engine that no other test uses. */
function nameEngine(): string {
  return `engine-${crypto.randomUUID()}`
}

async function connect(t: TestContext): Promise<Valkey> {
  const valkey = await connectValkey([requireStack().valkey.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  // A server that was started just now would let every process wait.
  const run = /run_id:(\w+)/.exec((await valkey.call('INFO', ['server'])) as string)?.[1] ?? ''
  await valkey.call('HSET', [ENGINE_REGISTRATIONS, 'run', run, 'since', 0])
  return valkey
}

/** `skipMs` moves the process's own clock. */
function openUsers(t: TestContext, valkey: Pick<Valkey, 'call' | 'connected'>, engine: string) {
  const clock = { skipMs: 0 }
  const users: EngineUsers = openEngineUsers(
    valkey,
    [engine],
    keepLines().log,
    () => performance.now() + clock.skipMs,
  )
  t.after(() => users[Symbol.asyncDispose]())
  return { users, clock }
}

test('a first process is alone at once, and only while it registers', async (t) => {
  const engine = nameEngine()
  const { users, clock } = openUsers(t, await connect(t), engine)
  assert.equal(users.accessTo(engine), 'closed')
  await users.join()
  assert.equal(users.accessTo(engine), 'alone')
  assert.equal(users.accessTo('an engine of another kind'), 'shared')
  clock.skipMs += 4_000
  assert.equal(users.accessTo(engine), 'closed')
})

test('a first process stays alone when it registers again', async (t) => {
  const engine = nameEngine()
  const valkey = await connect(t)
  const renewed = new EventEmitter()
  const call: Valkey['call'] = async (...sent) => {
    const reply = await valkey.call(...sent)
    // The registration reads the reply before anybody who waits for this.
    setImmediate(() => renewed.emit('renewed'))
    return reply
  }
  const { users } = openUsers(t, { call, connected: (ms) => valkey.connected(ms) }, engine)
  await users.join()
  await once(renewed, 'renewed')
  await once(renewed, 'renewed')
  assert.equal(users.accessTo(engine), 'alone')
})

test('a second process uses the engine only when the first one no longer believes', async (t) => {
  const engine = nameEngine()
  const valkey = await connect(t)
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  const { users: second } = openUsers(t, valkey, engine)
  const seen = await watchJoin(engine, first, second)
  assert.deepEqual([first.accessTo(engine), second.accessTo(engine)], ['shared', 'shared'])
  assert.ok(seen.has('alone,closed') && seen.has('shared,closed'), [...seen].join(' '))
})

/** Waits for the second process, and returns what both could do at each moment. */
async function watchJoin(engine: string, first: EngineUsers, second: EngineUsers) {
  const state = { joined: false }
  const joining = second.join().then(() => (state.joined = true))
  const seen = new Set<string>()
  while (!state.joined) {
    const both = [first.accessTo(engine), second.accessTo(engine)]
    if (both.includes('alone')) assert.ok(both.includes('closed'), both.join())
    seen.add(both.join())
    await new Promise(setImmediate)
  }
  await joining
  return seen
}

/** A server that a test may empty. */
async function connectOwn(t: TestContext): Promise<Valkey> {
  const server = await startValkey()
  t.after(() => server.kill())
  const valkey = await connectValkey([server.url])
  t.after(() => valkey[Symbol.asyncDispose]())
  return valkey
}

test('a server that lost its data tells no second process that it is alone', async (t) => {
  const valkey = await connectOwn(t)
  const engine = nameEngine()
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  while (first.accessTo(engine) !== 'alone') await new Promise(setImmediate)
  await valkey.call('FLUSHALL', [])
  const { users: second } = openUsers(t, valkey, engine)
  assert.ok((await watchJoin(engine, first, second)).has('shared,closed'))
  assert.deepEqual([first.accessTo(engine), second.accessTo(engine)], ['shared', 'shared'])
})

test('processes that share an engine go on when the server has lost its data', async (t) => {
  const engine = nameEngine()
  const valkey = await connectOwn(t)
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  const { users: second } = openUsers(t, valkey, engine)
  await second.join()
  await valkey.call('FLUSHALL', [])
  const both = () => `${first.accessTo(engine)},${second.accessTo(engine)}`
  while (Number(await valkey.call('ZCARD', [engineUsersKey(engine)])) < 2)
    assert.equal(both(), 'shared,shared')
})

test('a process that is alone again says so, and the shared slots are forgotten', async (t) => {
  const engine = nameEngine()
  const valkey = await connect(t)
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  assert.equal(first.periodOf(engine), 0)
  const { users: second } = openUsers(t, valkey, engine)
  await second.join()
  await valkey.call('HSET', [engineSlotsKey(engine), 'born', 1])
  await second[Symbol.asyncDispose]()
  while (first.accessTo(engine) !== 'alone') await new Promise(setImmediate)
  assert.equal(first.periodOf(engine), 1)
  assert.equal(await valkey.call('EXISTS', [engineSlotsKey(engine)]), 0)
})

test('a process that left is not waited for', async (t) => {
  const engine = nameEngine()
  const valkey = await connect(t)
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  await first[Symbol.asyncDispose]()
  const { users: second } = openUsers(t, valkey, engine)
  await second.join()
  assert.equal(second.accessTo(engine), 'alone')
})

test('without Valkey a process does not use the engine, and does not wait', async (t) => {
  const engine = nameEngine()
  const unavailable = () => Promise.reject(new ValkeyUnavailable('no reply'))
  const { users } = openUsers(t, { call: unavailable, connected: unavailable }, engine)
  await users.join()
  assert.equal(users.accessTo(engine), 'closed')
})
