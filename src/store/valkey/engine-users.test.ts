import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { keepLines } from '../../../test/harness/lines.ts'
import { requireStack } from '../../../test/harness/service.ts'
import { openEngineUsers, type EngineUsers } from './engine-users.ts'
import { openValkey, ValkeyUnavailable, type Valkey } from './valkey.ts'

/** An engine that no other test uses. */
function nameEngine(): string {
  return `engine-${crypto.randomUUID()}`
}

function connect(t: TestContext): Valkey {
  const valkey = openValkey([requireStack().valkey.url])
  t.after(() => valkey[Symbol.asyncDispose]())
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
  const { users, clock } = openUsers(t, connect(t), engine)
  assert.equal(users.accessTo(engine), 'closed')
  await users.join()
  assert.equal(users.accessTo(engine), 'alone')
  assert.equal(users.accessTo('an engine of another kind'), 'shared')
  clock.skipMs += 4_000
  assert.equal(users.accessTo(engine), 'closed')
})

test('a first process stays alone when it registers again', async (t) => {
  const engine = nameEngine()
  const valkey = connect(t)
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
  const valkey = connect(t)
  const { users: first } = openUsers(t, valkey, engine)
  await first.join()
  const { users: second } = openUsers(t, valkey, engine)
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
  assert.deepEqual([first.accessTo(engine), second.accessTo(engine)], ['shared', 'shared'])
  assert.ok(seen.has('alone,closed') && seen.has('shared,closed'), [...seen].join(' '))
})

test('a process that left is not waited for', async (t) => {
  const engine = nameEngine()
  const valkey = connect(t)
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
