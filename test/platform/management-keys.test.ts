import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { untilWorkIsDone } from '../harness/clients/sign-in.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const FACTS = { name: 'reports', scopes: ['keys:read'], expires_at: inDays(30) }

test('the last use of a management key is noted, at most once a minute', async () => {
  const { id, owner } = await openConsoleOrganization(console_)
  const created = await owner.ask('POST', '/management-keys', { body: FACTS })
  const as = { authorization: `Bearer ${created.body.key}` }
  const use = () => ask(console_.root, 'GET', `/organizations/${id}/keys`, { as })
  const lastUsed = async () => {
    await untilWorkIsDone(console_)
    const listed = await owner.ask('GET', '/management-keys')
    return listed.body.data[0]?.['last_used_at']
  }
  assert.equal(await lastUsed(), null)
  assert.equal((await use()).status, 200)
  const first = await lastUsed()
  assert.ok(Date.now() - Date.parse(String(first)) < 60_000, String(first))
  await use()
  assert.equal(await lastUsed(), first)
})

test('a management key works until it is revoked, and its secret is shown once', async () => {
  const { id, owner, events } = await openConsoleOrganization(console_)
  const created = await owner.ask('POST', '/management-keys', { body: FACTS })
  assert.equal(created.status, 201, created.text)
  assert.match(created.body.key, /^headrace_mk_/)
  const as = { authorization: `Bearer ${created.body.key}` }
  const read = () => ask(console_.root, 'GET', `/organizations/${id}/keys`, { as })
  assert.equal((await read()).status, 200)
  const listed = await owner.ask('GET', '/management-keys')
  assert.equal(listed.body.data[0]?.id, created.body.id)
  assert.ok(!listed.text.includes(created.body.key.slice(12, -4)))
  const path = `/management-keys/${created.body.id}`
  assert.equal((await owner.ask('DELETE', path)).status, 204)
  assert.equal((await read()).body.error.code, 'invalid_management_key')
  assert.equal((await owner.ask('DELETE', path)).status, 204)
  const written = await events()
  assert.deepEqual(
    written.map(({ action }) => action),
    ['management_key.create', 'management_key.revoke'],
  )
  assert.ok(!JSON.stringify(written).includes(created.body.key.slice(12, -4)))
})

test('400: scopes and expiry have bounds', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const rejected: [object, string][] = [
    [{ scopes: ['platform:write'] }, 'scopes[0]'],
    [{ scopes: ['keys:read', 'management-keys:write'] }, 'scopes[1]'],
    [{ scopes: [] }, 'scopes'],
    [{ expires_at: inDays(366) }, 'expires_at'],
    [{ expires_at: inDays(-1) }, 'expires_at'],
  ]
  for (const [wrong, param] of rejected) {
    const answer = await owner.ask('POST', '/management-keys', { body: { ...FACTS, ...wrong } })
    assert.deepEqual([answer.status, answer.body.error.param], [400, param], answer.text)
  }
  const { expires_at: _, ...endless } = FACTS
  const missing = await owner.ask('POST', '/management-keys', { body: endless })
  assert.equal(missing.body.error.code, 'missing_required_parameter')
})

test('403: owners only, freshly confirmed, and never by a management key', async () => {
  const { id, open, owner } = await openConsoleOrganization(console_)
  const unconfirmed = await open('owner', { confirmed: false })
  const stale = await unconfirmed.ask('POST', '/management-keys', { body: FACTS })
  assert.equal(stale.body.error.code, 'confirmation_required')
  const admin = await open('admin')
  const refused = await admin.ask('POST', '/management-keys', { body: FACTS })
  assert.equal(refused.body.error.code, 'role_required')
  const scopes = ['keys:read', 'members:write']
  const facts = { createdBy: owner.accountId, organizationId: id, scopes }
  const as = await console_.openManagementKey(facts)
  const path = `/organizations/${id}/management-keys`
  const byKey = await ask(console_.root, 'POST', path, { as, body: FACTS })
  assert.equal(byKey.body.error.code, 'scope_required')
})

test('404: a key of another organization is like an absent one', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const other = await openConsoleOrganization(console_)
  const created = await other.owner.ask('POST', '/management-keys', { body: FACTS })
  const foreign = await owner.ask('DELETE', `/management-keys/${created.body.id}`)
  const absent = await owner.ask('DELETE', `/management-keys/${crypto.randomUUID()}`)
  assert.equal(foreign.status, 404)
  assert.equal(foreign.text, absent.text)
})
