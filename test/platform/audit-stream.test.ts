import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { signWebhook } from '../../src/platform/billing/webhook.ts'
import { deleteAuditStream } from '../../src/store/people/audit-streams.ts'
import { writeAuditEvent } from '../../src/store/people/audit-events.ts'
import type { Tables } from '../../src/store/postgres/tables.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, openPerson, startConsole } from '../harness/processes/console.ts'
import { startEnvironment } from '../harness/environment.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startProcess } from '../harness/processes/process.ts'
import { startMailingConsole } from '../harness/clients/sign-in.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { startReceiver, type ReceivedCall } from '../harness/servers/webhook-receiver.ts'

const TIMEOUT_MS = 60_000
const PRIVATE = { private_webhook_hosts: ['127.0.0.1'] }

type Sent = {
  readonly data: {
    readonly id: string
    readonly action: string
    readonly target: { readonly id: string }
  }
}

const sentBy = (calls: readonly ReceivedCall[]) =>
  calls.filter(({ status }) => status === 204).map(({ body }) => (JSON.parse(body) as Sent).data)

const startStreaming = () =>
  startConsole((config) => ({ ...config, console: { ...config.console, ...PRIVATE } }))

/** As if the time until the next attempt, or until the end of a lease, had passed. */
const passTime = (database: Kysely<Tables>) =>
  database
    .updateTable('audit_streams')
    .set({ next_at: new Date(0) })
    .execute()

async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
  await waitUntil(what, async () => is(), TIMEOUT_MS)
}

/** The ids of the events that a stream should have sent, in the order in which they were made. */
async function idsOf(database: Kysely<Tables>, organizationId: string): Promise<string[]> {
  const rows = await database
    .selectFrom('audit_events')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function write(database: Kysely<Tables>, organizationId: string, target: string) {
  await database.transaction().execute((transaction) =>
    writeAuditEvent(transaction, {
      organizationId,
      actor: { kind: 'system', id: null, label: 'test' },
      action: 'key.create',
      target: { kind: 'key', id: target, label: null },
      changes: {},
      requestId: null,
    }),
  )
}

test('owners stream their events, signed and in order, and operators those of all', async () => {
  await using console_ = await startStreaming()
  const { database } = console_.postgres
  using ours = await startReceiver()
  using all = await startReceiver()
  const { id, owner } = await openConsoleOrganization(console_)
  const { owner: stranger } = await openConsoleOrganization(console_)
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const set = await owner.ask('PUT', '/audit-stream', { body: { url: ours.url } })
  assert.equal(set.status, 200, set.text)
  const secret = set.body['secret'] as string
  const path = '/operator/audit-stream'
  const platform = { as: operator.as, body: { url: all.url } }
  assert.equal((await ask(console_.root, 'PUT', path, platform)).status, 200)
  for (const who of [owner, stranger, owner])
    await who.ask('POST', '/projects', { body: { name: crypto.randomUUID() } })
  await until('the events of the organization', () => ours.received.length >= 3)
  await until('the events of all', () => all.received.length >= 4)
  assert.deepEqual(
    sentBy(ours.received).map(({ id: event }) => event),
    await idsOf(database, id),
  )
  assert.deepEqual(
    sentBy(all.received).map(({ action }) => action),
    ['audit_stream.set', 'project.create', 'project.create', 'project.create'],
  )
  for (const { headers, body } of ours.received) {
    const timestamp = Number(headers['webhook-timestamp'])
    const message = { id: String(headers['webhook-id']), timestamp, body }
    assert.equal(headers['webhook-signature'], signWebhook(secret, message))
  }
  const shown = await owner.ask('GET', '/audit-stream')
  const stream = shown.body['stream'] as Record<string, unknown>
  assert.deepEqual([stream['delivered'], stream['waiting']], [3, 0])
  assert.ok(!shown.text.includes(secret))
  const events = JSON.stringify(await database.selectFrom('audit_events').selectAll().execute())
  assert.ok(!events.includes('/siem') && !events.includes(secret))
  assert.equal((await owner.ask('DELETE', '/audit-stream')).status, 204)
  assert.deepEqual((await owner.ask('GET', '/audit-stream')).body, { stream: null })
})

test('a receiver that fails is asked again later, and then gets everything in order', async () => {
  await using console_ = await startStreaming()
  const { database } = console_.postgres
  using receiver = await startReceiver()
  receiver.state.status = 500
  const { id, owner } = await openConsoleOrganization(console_)
  await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  const stream = async () =>
    (await owner.ask('GET', '/audit-stream')).body['stream'] as Record<string, string | number>
  await until('a refusal', async () => (await stream())['failing_since'] !== null)
  const first = await stream()
  assert.equal(first['last_error'], 'the receiver answered with 500')
  const refusals = async () => {
    const { failures, wait } = await database
      .selectFrom('audit_streams')
      .select(['failures', sql<number>`extract(epoch from next_at - now())::int`.as('wait')])
      .executeTakeFirstOrThrow()
    return { failures, wait }
  }
  const waits: number[] = []
  for (let attempt = 1; attempt < 4; attempt += 1) {
    await until(`refusal ${attempt}`, async () => (await refusals()).failures === attempt)
    waits.push((await refusals()).wait)
    await passTime(database)
  }
  assert.ok(waits[0]! < waits[1]! && waits[1]! < waits[2]!, waits.join())
  await owner.ask('POST', '/projects', { body: { name: 'later' } })
  assert.ok((await stream())['waiting'] === 2)
  receiver.state.status = 204
  await passTime(database)
  await until('both events', () => sentBy(receiver.received).length === 2)
  const sent = sentBy(receiver.received).map(({ id: event }) => event)
  assert.deepEqual(sent, await idsOf(database, id))
  await until('that it is well again', async () => (await stream())['failing_since'] === null)
})

test('an event whose transaction ends after that of a later one is not left out', async () => {
  await using console_ = await startStreaming()
  const { database } = console_.postgres
  using receiver = await startReceiver()
  const { id, owner } = await openConsoleOrganization(console_)
  await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  await until('the first event', () => receiver.received.length === 1)
  const slow = await database.startTransaction().execute()
  const facts = { organizationId: id, actor: { kind: 'system', id: null, label: 'slow' } }
  const target = { kind: 'key', id: 'slow', label: null }
  const event = { ...facts, action: 'key.create', target, changes: {}, requestId: null }
  await writeAuditEvent(slow, event)
  await write(database, id, 'fast')
  await until('the later event', () => receiver.received.length === 2)
  await slow.commit().execute()
  await until('the earlier event', () => receiver.received.length === 3)
  const sent = sentBy(receiver.received).map((each) => each.id)
  assert.deepEqual(new Set(sent), new Set(await idsOf(database, id)))
})

test('a stream that is being deleted fails no change that would have been sent', async () => {
  await using console_ = await startStreaming()
  const { database } = console_.postgres
  using receiver = await startReceiver()
  const { id, owner } = await openConsoleOrganization(console_)
  await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  await until('the first event', () => receiver.received.length === 1)
  const deleting = await database.startTransaction().execute()
  await deleteAuditStream(deleting, id)
  const written = write(database, id, 'meanwhile')
  await untilSomeoneWaits(console_.postgres)
  await deleting.commit().execute()
  await written
  assert.equal((await idsOf(database, id)).length, 2)
})

test('processes that are killed while they send leave no gap', async () => {
  using receiver = await startReceiver()
  const settings = { port: 0, health_port: 0, public_url: 'http://localhost:8081', ...PRIVATE }
  await using environment = await startEnvironment({ sections: { console: settings } })
  const { databaseUrl, valkeyUrls, file, postgres } = environment
  const { database } = postgres
  const options = { databaseUrl, valkeyUrls, file }
  await using first = await startProcess('console', options)
  const { id } = await openOrganization(database, 'free')
  const owner = await openPerson(postgres, { organizationId: id, role: 'owner' })
  const asked = { as: owner.as, body: { url: receiver.url } }
  const set = await ask(first.apiRoot, 'PUT', `/organizations/${id}/audit-stream`, asked)
  assert.equal(set.status, 200, set.text)
  receiver.state.answers = 0
  const events = 150
  for (let number = 0; number < events; number += 1) await write(database, id, `${number}`)
  await using second = await startProcess('console', options)
  for (const killed of [first, second]) {
    const before = receiver.received.length
    receiver.state.answers = 50
    await passTime(database)
    await until('a call that is held', () => receiver.received.length > before + 50)
    await killed.kill()
  }
  assert.ok(sentBy(receiver.received).length < events, 'nothing was interrupted')
  receiver.state.answers = Number.POSITIVE_INFINITY
  await using _third = await startProcess('console', options)
  await passTime(database)
  const sent = () => [...new Set(sentBy(receiver.received).map(({ target }) => target.id))]
  await until('all events', () => sent().length === events + 1)
  // The first time that each arrived is in the order in which they were written. Their ids need not
  // be: those of one millisecond have no order.
  assert.deepEqual(
    sent().slice(1),
    Array.from({ length: events }, (_, number) => `${number}`),
  )
})

test('403: only an owner who has confirmed sets it, and no key does', async () => {
  await using console_ = await startStreaming()
  const { id, owner, open } = await openConsoleOrganization(console_)
  const body = { url: 'https://siem.example.com/' }
  const admin = await open('admin')
  assert.equal((await admin.ask('PUT', '/audit-stream', { body })).body.error.code, 'role_required')
  assert.equal((await admin.ask('GET', '/audit-stream')).body.error.code, 'role_required')
  const old = await open('owner', { confirmed: false })
  const unconfirmed = await old.ask('PUT', '/audit-stream', { body })
  assert.equal(unconfirmed.body.error.code, 'confirmation_required')
  const facts = { createdBy: owner.accountId, organizationId: id, scopes: ['audit:read'] }
  const as = await console_.openManagementKey(facts)
  const byKey = await ask(console_.root, 'PUT', `/organizations/${id}/audit-stream`, { as, body })
  assert.equal(byKey.body.error.code, 'scope_required')
})

test('a stream never calls into a private network', async () => {
  await using console_ = await startConsole()
  using receiver = await startReceiver()
  const { owner } = await openConsoleOrganization(console_)
  const refused = await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  assert.deepEqual([refused.body.error.code, refused.body.error.param], ['invalid_value', 'url'])
  const url = receiver.url.replace('http:', 'https:')
  assert.equal((await owner.ask('PUT', '/audit-stream', { body: { url } })).status, 200)
  await until('a refusal', async () => {
    const { body } = await owner.ask('GET', '/audit-stream')
    return (body['stream'] as { last_error: string | null }).last_error !== null
  })
  const { body } = await owner.ask('GET', '/audit-stream')
  const { last_error: error } = body['stream'] as { last_error: string }
  assert.equal(error, 'the receiver could not be reached')
  assert.equal(receiver.received.length, 0)
})

test('a receiver that stays away for two weeks is given up, and owners are told', async () => {
  await using mailing = await startMailingConsole(PRIVATE)
  const { server, mail } = mailing
  const { database } = server.postgres
  using receiver = await startReceiver()
  receiver.state.status = 500
  const { id, owner } = await openConsoleOrganization(server)
  await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  const stream = async () =>
    (await owner.ask('GET', '/audit-stream')).body['stream'] as Record<string, unknown>
  await until('a refusal', async () => (await stream())['failing_since'] !== null)
  assert.equal((await stream())['paused_at'], null)
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  const failSince = (failing_since: Date) =>
    database
      .updateTable('audit_streams')
      .set({ failing_since, next_at: new Date(0) })
      .execute()
  const calls = receiver.received.length
  await failSince(daysAgo(13))
  await until('another refusal', () => receiver.received.length > calls)
  assert.equal((await stream())['paused_at'], null)
  await failSince(daysAgo(15))
  await until('the pause', async () => (await stream())['paused_at'] !== null)
  const { text } = await mail.take(owner.email, 'no longer streamed')
  assert.ok(text.includes(new URL(receiver.url).origin) && !text.includes(receiver.url), text)
  const paused = await stream()
  assert.equal(paused['next_attempt_at'], null)
  await owner.ask('POST', '/projects', { body: { name: 'while-paused' } })
  assert.equal((await stream())['waiting'], paused['waiting'])
  // Set again, it goes on with what waited; the log has what came between.
  receiver.state.status = 204
  await owner.ask('PUT', '/audit-stream', { body: { url: receiver.url } })
  await owner.ask('POST', '/projects', { body: { name: 'afterwards' } })
  await until('what waited', async () => (await stream())['waiting'] === 0)
  const actions = (await database.selectFrom('audit_events').select('action').execute()).map(
    ({ action }) => action,
  )
  assert.equal(actions.filter((action) => action === 'audit_stream.pause').length, 1)
  const sent = sentBy(receiver.received)
  assert.ok(!sent.some(({ action }) => action === 'audit_stream.pause'))
  assert.equal(sent.length, (await idsOf(database, id)).length - 2)
})
