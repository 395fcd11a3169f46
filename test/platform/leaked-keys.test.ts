import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey } from '../../src/tenancy/api-key.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, newAddress } from '../harness/processes/console.ts'
import { startMailingConsole, untilWorkIsDone } from '../harness/clients/sign-in.ts'

const REPORTS_PER_NETWORK = 300
const SUBJECT = 'its secret was found'

const service = await startMailingConsole()
after(() => service[Symbol.asyncDispose]())

/** As a scanner does it: without session, without origin. */
function report(secret: unknown, from = newAddress()) {
  return ask(service.server.root, 'POST', '/revoked-keys', { body: { secret }, from })
}

function secretOf({ authorization = '' }: Readonly<Record<string, string>>): string {
  return authorization.replace('Bearer ', '')
}

test('whoever has the secret revokes an API key: audited, with emails, once', async () => {
  const { mail } = service
  const { owner, open, events } = await openConsoleOrganization(service.server)
  const member = await open('member')
  const created = await member.ask('POST', '/keys', { body: { name: 'deploy' } })
  assert.equal((await report(created.body.key)).status, 202)
  const shown = await owner.ask('GET', `/keys/${created.body.id}`)
  assert.notEqual(shown.body['revoked_at'], null)
  assert.equal(shown.body['revoke_reason'], 'Its secret was found by somebody else.')
  for (const { email } of [member, owner]) {
    const { text } = await mail.take(email, SUBJECT)
    assert.ok(text.includes('"deploy"') && text.includes(created.body.key.slice(-4)), text)
    assert.ok(!text.includes(created.body.key))
  }
  assert.equal((await report(created.body.key)).status, 202)
  await untilWorkIsDone(service.server)
  const told = mail.emails.filter(({ to }) => to.includes(member.email))
  assert.deepEqual(told, [])
  const revocations = (await events()).filter(({ action }) => action === 'key.revoke')
  assert.equal(revocations.length, 1)
  const [event] = revocations
  assert.deepEqual([event?.actor_kind, event?.actor_label], ['system', 'holder of the secret'])
  assert.notEqual(event?.request_id, null)
  assert.ok(!JSON.stringify(event).includes(created.body.key.slice(-20)))
})

test('management keys of organizations and of the platform end the same way', async () => {
  const { server, mail } = service
  const { owner, id: organizationId, events } = await openConsoleOrganization(server)
  const scopes = ['members:write', 'members:read', 'organization:read']
  const key = await server.openManagementKey({ createdBy: owner.accountId, organizationId, scopes })
  const path = `/organizations/${organizationId}`
  const operator = await server.openPerson({ platformRole: 'operator' })
  const platform = await server.openManagementKey({
    createdBy: operator.accountId,
    organizationId: null,
    scopes: ['platform:read'],
  })
  const readWith = async (as: typeof key, what: string) =>
    (await ask(server.root, 'GET', what, { as })).status
  assert.equal(await readWith(key, path), 200)
  assert.equal(await readWith(platform, '/operator/overview'), 200)
  for (const each of [key, platform]) assert.equal((await report(secretOf(each))).status, 202)
  assert.equal(await readWith(key, path), 401)
  assert.equal(await readWith(platform, '/operator/overview'), 401)
  await mail.take(owner.email, SUBJECT)
  await mail.take(operator.email, SUBJECT)
  const actions = (await events()).map(({ action }) => action)
  assert.deepEqual(actions, ['management_key.revoke'])
})

test('a known, a revoked, an unknown and a malformed secret are answered alike', async () => {
  const { owner } = await openConsoleOrganization(service.server)
  const { body } = await owner.ask('POST', '/keys', { body: { name: 'known' } })
  const secrets = [body.key, body.key, createApiKey('headrace'), createApiKey('headrace', 'mk')]
  for (const secret of [...secrets, `${body.key}x`, 'x', body.key.slice(0, -1)]) {
    const { status, text, headers } = await report(secret)
    assert.deepEqual([status, text, headers['retry-after']], [202, '', undefined])
  }
})

test('a part of a secret, or one with another checksum, revokes nothing', async () => {
  const { owner } = await openConsoleOrganization(service.server)
  const { body } = await owner.ask('POST', '/keys', { body: { name: 'stays' } })
  const last = body.key.endsWith('0') ? '1' : '0'
  for (const secret of [body.key.slice(-4), `${body.key.slice(0, -1)}${last}`, ` ${body.key}`])
    assert.equal((await report(secret)).status, 202)
  assert.equal((await owner.ask('GET', `/keys/${body.id}`)).body['revoked_at'], null)
})

test('400 and 415: a report is one JSON text of bounded length', async () => {
  for (const secret of [undefined, '', 7, 'x'.repeat(201)])
    assert.equal((await report(secret)).status, 400)
  const headers = { 'content-type': 'text/plain' }
  const body = { secret: 'x' }
  const form = await ask(service.server.root, 'POST', '/revoked-keys', { body, headers })
  assert.equal(form.status, 415)
})

test('429: a network sends three hundred secrets an hour, and others are not held up', async () => {
  const from = newAddress()
  const statuses = new Map<number, number>()
  for (let count = 0; count <= REPORTS_PER_NETWORK; count += 1) {
    const { status } = await report('x', from)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual(Object.fromEntries(statuses), { 202: REPORTS_PER_NETWORK, 429: 1 })
  assert.equal((await report('x')).status, 202)
})
