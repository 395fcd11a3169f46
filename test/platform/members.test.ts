import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeMember } from '../../src/platform/members/change-member.ts'
import { removeMember } from '../../src/platform/members/remove-member.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const

test('members see names, but not when and how others sign in', async () => {
  const { open, owner } = await openConsoleOrganization(console_)
  const [viewer, member] = [await open('viewer'), await open('member')]
  const all = await owner.ask('GET', '/members?limit=2')
  assert.equal(all.body.data.length, 2)
  assert.deepEqual(all.body['total'], { count: 3, more: false })
  const rest = await owner.ask('GET', `/members?after=${all.body.next}`)
  assert.equal(rest.body['total'], null)
  assert.deepEqual(
    [...all.body.data, ...rest.body.data].map(({ id }) => id),
    [member.accountId, viewer.accountId, owner.accountId],
  )
  assert.equal(typeof all.body.data[0]?.['last_seen_at'], 'string')
  const seen = await member.ask('GET', '/members')
  for (const each of seen.body.data) {
    assert.equal(each['name'], 'Test Person')
    assert.deepEqual([each['last_seen_at'], each['second_factor']], [null, null])
  }
})

test('members are sorted by name and role, page by page', async () => {
  const { open, owner } = await openConsoleOrganization(console_)
  const named: Record<string, string> = { [owner.accountId]: 'bea' }
  for (const [name, role] of [
    ['Cem', 'viewer'],
    ['ada', 'member'],
    ['Dan', 'admin'],
  ] as const)
    named[(await open(role)).accountId] = name
  for (const [account, name] of Object.entries(named))
    await console_.postgres.database
      .updateTable('accounts')
      .set({ name })
      .where('id', '=', account)
      .execute()
  const walk = async (query: string) => {
    const found: string[] = []
    for (let next = ''; ;) {
      const { status, body, text } = await owner.ask('GET', `/members?limit=1&${query}${next}`)
      assert.equal(status, 200, text)
      found.push(...body.data.map(({ name }) => String(name)))
      if (body.next === null) return found.join(', ')
      assert.ok(found.length < 10, 'the list does not end')
      next = `&after=${body.next}`
    }
  }
  assert.equal(await walk('sort=name&order=asc'), 'ada, bea, Cem, Dan')
  assert.equal(await walk('sort=name'), 'Dan, Cem, bea, ada')
  assert.equal(await walk('sort=role&order=asc'), 'bea, Dan, ada, Cem')
  // The place of somebody else in the order is nobody's business.
  const stranger = await openConsoleOrganization(console_)
  const foreign = stranger.owner.accountId
  const rest = await owner.ask('GET', `/members?sort=name&order=asc&after=${foreign}`)
  assert.deepEqual(rest.body.data, [])
})

test('403: admins and keys may neither make nor change nor remove owners', async () => {
  const { id, open, owner } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const promoted = await admin.ask('PATCH', `/members/${member.accountId}`, {
    body: { role: 'admin' },
  })
  assert.equal(promoted.body['role'], 'admin')
  const facts = { createdBy: owner.accountId, organizationId: id, scopes: ['members:write'] }
  const key = { as: await console_.openManagementKey(facts) }
  const path = `/organizations/${id}/members`
  for (const [account, role] of [
    [member.accountId, 'owner'],
    [owner.accountId, 'member'],
  ]) {
    const change = { body: { role } }
    const refused = await admin.ask('PATCH', `/members/${account}`, change)
    assert.equal(refused.body.error.code, 'role_required')
    const byKey = await ask(console_.root, 'PATCH', `${path}/${account}`, { ...key, ...change })
    assert.equal(byKey.body.error.code, 'role_required')
  }
  const removed = await admin.ask('DELETE', `/members/${owner.accountId}`)
  assert.equal(removed.body.error.code, 'role_required')
})

test('409: of two owners who go at the same time one stays', async () => {
  const { open, owner } = await openConsoleOrganization(console_)
  const other = await open('owner')
  const answers = await Promise.all([
    owner.ask('PATCH', `/members/${owner.accountId}`, { body: { role: 'member' } }),
    other.ask('DELETE', '/members/me'),
  ])
  const [stays, ...more] = answers.filter(({ status }) => status === 409)
  assert.deepEqual(more, [])
  assert.equal(stays?.body.error.code, 'last_owner')
})

test('only somebody with a shell may remove the last owner', async () => {
  const { id, owner } = await openConsoleOrganization(console_)
  const leaving = await owner.ask('DELETE', `/members/${owner.accountId}`)
  assert.equal(leaving.body.error.code, 'last_owner')
  const input = { organization: id, account: owner.accountId }
  await changeMember(console_.environment, SHELL, { ...input, role: 'viewer' })
  await removeMember(console_.environment, SHELL, input)
  assert.equal((await owner.ask('GET', '/members')).status, 404)
})

test('keys of a removed member move to the organization only if asked', async () => {
  const { open, owner, events } = await openConsoleOrganization(console_)
  const [moving, stopping] = [await open('member'), await open('member')]
  const kept = await moving.ask('POST', '/keys', { body: { name: 'kept' } })
  const revoked = await moving.ask('POST', '/keys', { body: { name: 'revoked' } })
  await moving.ask('POST', `/keys/${revoked.body.id}/revoke`, { body: {} })
  const stopped = await stopping.ask('POST', '/keys', { body: { name: 'stopped' } })
  const path = `/members/${moving.accountId}`
  assert.equal((await owner.ask('DELETE', `${path}?keys=move`)).status, 204)
  assert.equal((await owner.ask('DELETE', path)).status, 404)
  assert.equal((await stopping.ask('DELETE', '/members/me')).status, 204)
  const ownerOf = async (id: string) => (await owner.ask('GET', `/keys/${id}`)).body['created_by']
  assert.equal(await ownerOf(kept.body.id), null)
  assert.equal(await ownerOf(revoked.body.id), moving.accountId)
  assert.equal(await ownerOf(stopped.body.id), stopping.accountId)
  const written = await events()
  const removal = written.find(({ action }) => action === 'member.remove')
  assert.deepEqual(removal?.changes, { role: ['member', null], keys_moved: [null, 1] })
  assert.equal(written.filter(({ action }) => action === 'member.leave').length, 1)
})

test('404: somebody who is no member, or of another organization, is like nobody', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const other = await openConsoleOrganization(console_)
  const change = { body: { role: 'viewer' } }
  const foreign = await owner.ask('PATCH', `/members/${other.owner.accountId}`, change)
  const absent = await owner.ask('PATCH', `/members/${crypto.randomUUID()}`, change)
  assert.equal(foreign.status, 404)
  assert.equal(foreign.text, absent.text)
})
