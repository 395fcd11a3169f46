import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { ask, PUBLIC_URL, startConsole } from '../harness/processes/console.ts'

/** More than fit into the half of the budget that one owner may take. */
const STALLED = 200

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

async function openMember(role: 'owner' | 'member' | 'viewer') {
  const organization = await console_.openOrganization()
  const person = await console_.openPerson({ organizationId: organization.id, role })
  return { organization, ...person, keys: `/organizations/${organization.id}/keys` }
}

test('a created key is listed, audited once, and its secret is in no row', async () => {
  const { organization, accountId, as, keys } = await openMember('owner')
  const created = await ask(console_.root, 'POST', keys, { as, body: { name: 'first' } })
  assert.equal(created.status, 201, created.text)
  assert.match(created.body.key, /^headrace_sk_/)
  const listed = await ask(console_.root, 'GET', keys, { as })
  assert.deepEqual(
    listed.body.data.map(({ id }) => id),
    [created.body.id],
  )
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .execute()
  assert.equal(events.length, 1)
  assert.equal(events[0]?.action, 'key.create')
  assert.equal(events[0]?.actor_id, accountId)
  assert.equal(events[0]?.request_id, created.headers['x-request-id'])
  assert.ok(!JSON.stringify(events).includes(created.body.key.slice(12)))
})

test('a change from another site is refused before anything is read', async () => {
  const { as, keys } = await openMember('owner')
  const body = { name: 'forged' }
  const other = { ...as, origin: 'http://localhost:9999' }
  const byOrigin = await ask(console_.root, 'POST', keys, { as: other, body })
  assert.equal(byOrigin.body.error.code, 'cross_origin')
  const headers = { 'sec-fetch-site': 'same-site' }
  const byFetchSite = await ask(console_.root, 'POST', keys, { as, body, headers })
  assert.equal(byFetchSite.body.error.code, 'cross_origin')
  const form = { 'content-type': 'text/plain' }
  const byForm = await ask(console_.root, 'POST', keys, { as, body, headers: form })
  assert.equal(byForm.status, 415)
})

test('a role without the right gets 403 with the roles that have it', async () => {
  const { as, keys } = await openMember('viewer')
  const answer = await ask(console_.root, 'POST', keys, { as, body: { name: 'mine' } })
  assert.equal(answer.status, 403)
  assert.equal(answer.body.error.code, 'role_required')
  assert.match(answer.body.error.message, /admin or owner/)
})

test('a management key works within its scope and its organization only', async () => {
  const { organization, accountId, keys } = await openMember('owner')
  const facts = { createdBy: accountId, organizationId: organization.id }
  const reads = await console_.openManagementKey({ ...facts, scopes: ['keys:read'] })
  assert.equal((await ask(console_.root, 'GET', keys, { as: reads })).status, 200)
  const refused = await ask(console_.root, 'POST', keys, { as: reads, body: { name: 'no' } })
  assert.equal(refused.body.error.code, 'scope_required')
  const other = await console_.openOrganization()
  const elsewhere = await ask(console_.root, 'GET', `/organizations/${other.id}/keys`, {
    as: reads,
  })
  assert.equal(elsewhere.status, 404)
  const expired = await console_.openManagementKey({
    ...facts,
    scopes: ['keys:read'],
    expired: true,
  })
  const unknown = await ask(console_.root, 'GET', keys, { as: expired })
  assert.equal(unknown.body.error.code, 'invalid_management_key')
})

test('the same idempotency key creates one thing, and never shows a secret again', async () => {
  const { as, keys } = await openMember('owner')
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { name: 'once' }
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask(console_.root, 'POST', keys, { as, body, headers })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  const other = await ask(console_.root, 'POST', keys, { as, body: { name: 'other' }, headers })
  assert.equal(other.body.error.param, 'Idempotency-Key')
  const listed = await ask(console_.root, 'GET', keys, { as })
  assert.equal(listed.body.data.length, 1)
})

test('unknown members, query parameters, paths and methods are refused by name', async () => {
  const { as, keys } = await openMember('owner')
  const member = await ask(console_.root, 'POST', keys, { as, body: { name: 'x', hash: 'y' } })
  assert.equal(member.body.error.param, 'hash')
  const query = await ask(console_.root, 'GET', `${keys}?colour=red`, { as })
  assert.equal(query.body.error.param, 'colour')
  assert.equal((await ask(console_.root, 'GET', '/nowhere', { as })).status, 404)
  const method = await ask(console_.root, 'PUT', keys, { as, body: {} })
  assert.equal(method.headers['allow'], 'GET, POST')
})

test('a NUL character in a path, a query or a body is no internal error', async () => {
  const { as, keys } = await openMember('owner')
  const path = await ask(console_.root, 'GET', '/organizations/%00/keys', { as })
  assert.equal(path.status, 404, path.text)
  const query = await ask(console_.root, 'GET', `${keys}?after=%00`, { as })
  assert.equal(query.body.error.param, 'after')
  const body = await ask(console_.root, 'POST', keys, { as, body: { name: 'a\0b' } })
  assert.equal(body.body.error.param, 'name')
})

test('stalled bodies of one caller leave room for those of everybody else', async () => {
  const { as, keys } = await openMember('owner')
  const other = await openMember('owner')
  const { hostname, port, pathname } = new URL(console_.root)
  const refused = Promise.withResolvers<string>()
  const head = `POST ${pathname}${other.keys} HTTP/1.1\r\nhost: x\r\n`
  const whose = `cookie: ${other.as['cookie']}\r\norigin: ${PUBLIC_URL}\r\n`
  const rest = `${whose}content-type: application/json\r\n`
  const body = `content-length: 65536\r\n\r\n${'x'.repeat(65_000)}`
  const sockets = Array.from({ length: STALLED }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.once('data', (data) => refused.resolve(data.toString()))
    socket.write(head + rest + body)
    return socket
  })
  try {
    // The caller has used up what one may take.
    assert.match(await refused.promise, /^HTTP\/1\.1 503 /)
    // As large as theirs, so that it does not fit by chance. It is read, and then refused.
    const large = { name: 'x'.repeat(65_000) }
    const answer = await ask(console_.root, 'POST', keys, { as, body: large })
    assert.equal(answer.status, 400, answer.text)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('every answer carries the security headers and a request id', async () => {
  const { as, keys } = await openMember('owner')
  for (const answer of [
    await ask(console_.root, 'GET', keys, { as }),
    await ask(console_.root, 'GET', keys),
    await ask(console_.root, 'GET', '/nowhere'),
  ]) {
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.match(answer.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/)
    assert.ok(answer.headers['x-request-id'])
  }
})
