import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHeartbeatExchange } from '../../src/store/fleet/heartbeat-exchange.ts'
import { fleetKey } from '../../src/store/valkey/keys.ts'
import { openValkey } from '../../src/store/valkey/valkey.ts'
import { announceOrdersJob } from '../../src/worker/announce-orders.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { startValkey } from '../harness/servers/valkey.ts'

const ENGINE = 'local'

const server = await startValkey()
const valkey = openValkey([server.url])
const console_ = await startConsole((config) => ({ ...config, valkey_urls: [server.url] }))
const operator = await console_.openPerson({ platformRole: 'operator' })
after(async () => {
  await console_[Symbol.asyncDispose]()
  await valkey[Symbol.asyncDispose]()
  await server.kill()
})

async function order(engine: string, body: object, as = operator.as) {
  return ask(console_.root, 'PUT', `/operator/engines/${engine}/order`, { as, body })
}

/** As the heartbeat of an API process reads them. */
async function announced(fleet = 'main'): Promise<Record<string, string>> {
  const fields = (await valkey.call('HGETALL', [fleetKey(fleet, 'orders')])) as string[]
  const pairs = Array.from({ length: fields.length / 2 }, (_, at) =>
    fields.slice(at * 2, at * 2 + 2),
  )
  return Object.fromEntries(pairs) as Record<string, string>
}

async function runWorker(): Promise<void> {
  const job = announceOrdersJob(console_.postgres.database, valkey)
  await valkey.connected(10_000)
  await job.run(new AbortController().signal)
}

async function eventsOf(engine: string) {
  return console_.postgres.database
    .selectFrom('audit_events')
    .select(['action', 'actor_label', 'changes'])
    .where('target_id', '=', engine)
    .orderBy('id')
    .execute()
}

test('an order is announced, shown and audited; enabling lifts it', async () => {
  const drained = await order(ENGINE, { state: 'draining', note: 'new driver' })
  assert.equal(drained.status, 200, drained.text)
  assert.deepEqual(await announced(), { [ENGINE]: 'draining' })
  const { body } = await ask(console_.root, 'GET', '/operator/engines', { as: operator.as })
  const shown = { ...drained.body }
  assert.deepEqual(body['orders'], [shown])
  assert.equal(shown['by'], operator.email)
  assert.equal(shown['note'], 'new driver')
  assert.equal((await order(ENGINE, { state: 'disabled' })).status, 200)
  assert.deepEqual(await announced(), { [ENGINE]: 'disabled' })
  const enabled = await order(ENGINE, { state: 'enabled' })
  assert.deepEqual([enabled.status, enabled.body['state']], [200, 'enabled'])
  assert.deepEqual(await announced(), {})
  const events = await eventsOf(ENGINE)
  assert.deepEqual(
    events.map(({ action, changes }) => [action, changes.state]),
    [
      ['engine.order', ['enabled', 'draining']],
      ['engine.order', ['draining', 'disabled']],
      ['engine.order', ['disabled', 'enabled']],
    ],
  )
})

test('an order that is in force already is announced again, but not audited', async () => {
  await order(ENGINE, { state: 'draining' })
  const { length } = await eventsOf(ENGINE)
  await valkey.call('FLUSHALL', [])
  const again = await order(ENGINE, { state: 'draining' })
  assert.equal(again.status, 200)
  assert.deepEqual(await announced(), { [ENGINE]: 'draining' })
  assert.equal((await eventsOf(ENGINE)).length, length)
})

test('404: an engine that nobody knows, and 403 for support', async () => {
  assert.equal((await order('lokal', { state: 'draining' })).status, 404)
  const support = await console_.openPerson({ platformRole: 'support' })
  assert.equal((await order(ENGINE, { state: 'enabled' }, support.as)).status, 403)
  assert.deepEqual(await announced(), { [ENGINE]: 'draining' })
})

test('503: an order while Valkey is unavailable stands, and the worker announces it', async () => {
  server.freeze()
  const answer = await order(ENGINE, { state: 'disabled' })
  server.thaw()
  assert.equal(answer.status, 503, answer.text)
  await runWorker()
  assert.deepEqual(await announced(), { [ENGINE]: 'disabled' })
})

test('the worker restores orders that Valkey lost, and nothing if it knows them', async () => {
  await valkey.call('FLUSHALL', [])
  await runWorker()
  assert.deepEqual(await announced(), { [ENGINE]: 'disabled' })
  await valkey.call('HSET', [fleetKey('main', 'orders'), 'mark', 'not replaced'])
  await runWorker()
  assert.deepEqual(Object.keys(await announced()).toSorted(), [ENGINE, 'mark'])
})

test('every fleet that has processes knows the orders, also one that starts later', async () => {
  await openHeartbeatExchange(valkey, 'other')({ process: 'one', figures: true })
  await runWorker()
  assert.deepEqual(await announced('other'), { [ENGINE]: 'disabled' })
  await order(ENGINE, { state: 'draining' })
  assert.deepEqual(await announced('other'), { [ENGINE]: 'draining' })
})

test('older orders never replace newer ones, whoever announces last', async () => {
  const { database } = console_.postgres
  // Reads the orders, and sends them only after a newer one was announced.
  const { promise: mayCall, resolve: letCall } = Promise.withResolvers<void>()
  const { promise: reached, resolve: onCall } = Promise.withResolvers<void>()
  const slow = announceOrdersJob(database, {
    async call(...command) {
      onCall()
      await mayCall
      return valkey.call(...command)
    },
  })
  await order(ENGINE, { state: 'draining' })
  await valkey.call('FLUSHALL', [])
  const sending = slow.run(new AbortController().signal)
  await reached
  const lifted = await order(ENGINE, { state: 'enabled' })
  assert.equal(lifted.status, 200, lifted.text)
  letCall()
  await sending
  assert.deepEqual(await announced(), {})
})

test('orders of a restored backup are in force again', async () => {
  await order(ENGINE, { state: 'draining' })
  const { database } = console_.postgres
  await database.updateTable('engine_orders_version').set({ version: 5 }).execute()
  await database.deleteFrom('engine_orders').execute()
  await runWorker()
  assert.deepEqual(await announced(), {})
  await order(ENGINE, { state: 'disabled' })
  assert.deepEqual(await announced(), { [ENGINE]: 'disabled' })
})
