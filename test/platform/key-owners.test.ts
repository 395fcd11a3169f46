import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeKey } from '../../src/platform/keys/change-key.ts'
import { createKey } from '../../src/platform/keys/create-key.ts'
import { rotateKey } from '../../src/platform/keys/rotate-key.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

test('403: only the owner of a personal key rotates it, others revoke it', async () => {
  const { id, open, owner } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const scopes = ['keys:write']
  const as = await console_.openManagementKey({
    createdBy: owner.accountId,
    organizationId: id,
    scopes,
  })
  const { body: personal } = await member.ask('POST', '/keys', { body: { name: 'personal' } })
  const path = `/keys/${personal.id}`
  for (const other of [admin, owner]) {
    const refused = await other.ask('POST', `${path}/rotate`, { body: {} })
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'role_required'])
  }
  const byKey = { as, body: {} }
  const rotate = `/organizations/${id}${path}/rotate`
  assert.equal((await ask(console_.root, 'POST', rotate, byKey)).status, 403)
  assert.equal((await member.ask('POST', `${path}/rotate`, { body: {} })).status, 201)
  assert.equal((await admin.ask('POST', `${path}/revoke`, { body: {} })).status, 200)
})

test('keys of the organization are rotated by admins, and every key by the shell', async () => {
  const { id, open, owner } = await openConsoleOrganization(console_)
  const admin = await open('admin')
  const body = { name: 'shared', owner: 'organization' }
  const { body: shared } = await owner.ask('POST', '/keys', { body })
  const rotated = await admin.ask('POST', `/keys/${shared.id}/rotate`, { body: {} })
  assert.deepEqual([rotated.status, rotated.body['created_by']], [201, null])
  const { body: personal } = await owner.ask('POST', '/keys', { body: { name: 'personal' } })
  const input = { organization: id, key: personal.id }
  const byShell = await rotateKey(console_.environment, SHELL, input)
  assert.equal(byShell.created_by, owner.accountId)
})

test('403: a member tightens the limits that an admin set on their key, not more', async () => {
  const { open } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const [one, two] = console_.config.models.map(({ id }) => id)
  const { body: key } = await member.ask('POST', '/keys', { body: { name: 'mine' } })
  const path = `/keys/${key.id}`
  const change = (by: typeof admin, body: object) => by.ask('PATCH', path, { body })
  const limits = {
    spending_limit: { amount: '10' },
    requests_per_minute: 10,
    models: [one],
    expires_at: inDays(10),
  }
  assert.equal((await change(admin, limits)).status, 200)
  const shown = await member.ask('GET', path)
  assert.deepEqual(new Set(shown.body['held_limits'] as string[]), new Set(Object.keys(limits)))
  const looser: [string, object][] = [
    ['spending_limit', { spending_limit: null }],
    ['spending_limit', { spending_limit: { amount: '10.01' } }],
    ['requests_per_minute', { requests_per_minute: null }],
    ['requests_per_minute', { requests_per_minute: 11 }],
    ['models', { models: null }],
    ['models', { models: [one, two] }],
    ['expires_at', { expires_at: null }],
    ['expires_at', { expires_at: inDays(11) }],
  ]
  for (const [param, body] of looser) {
    const refused = await change(member, body)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'role_required'], param)
    assert.equal(refused.body.error.param, param)
  }
  const tighter = { spending_limit: { amount: '9' }, requests_per_minute: 9, name: 'still mine' }
  assert.equal((await change(member, tighter)).status, 200)
  assert.equal((await change(member, { requests_per_minute: 10 })).status, 403)
  // An admin may do both.
  assert.equal((await change(admin, { requests_per_minute: null })).status, 200)
  assert.equal((await change(member, { requests_per_minute: 500 })).status, 200)
  assert.equal((await change(member, { requests_per_minute: null })).status, 200)
})

test('a member loosens limits of their own, and those that an admin saved unchanged', async () => {
  const { open } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const settings = { requests_per_minute: 5, spending_limit: { amount: '1' } }
  const { body: key } = await member.ask('POST', '/keys', { body: { name: 'mine', ...settings } })
  const path = `/keys/${key.id}`
  const saved = await admin.ask('PATCH', path, { body: { name: 'renamed', ...settings } })
  assert.deepEqual(saved.body['held_limits'], [])
  const lifted = await member.ask('PATCH', path, { body: { requests_per_minute: null } })
  assert.equal(lifted.body['requests_per_minute'], null)
})

test('403: a rotation does not lift what an admin set, on either of the two keys', async () => {
  const { open } = await openConsoleOrganization(console_)
  const [admin, member] = [await open('admin'), await open('member')]
  const { body: key } = await member.ask('POST', '/keys', { body: { name: 'mine' } })
  await admin.ask('PATCH', `/keys/${key.id}`, { body: { requests_per_minute: 1 } })
  const rotated = await member.ask('POST', `/keys/${key.id}/rotate`, { body: {} })
  for (const id of [key.id, rotated.body.id]) {
    const lifted = await member.ask('PATCH', `/keys/${id}`, { body: { requests_per_minute: null } })
    assert.equal(lifted.body.error?.code, 'role_required')
  }
  await admin.ask('PATCH', `/keys/${rotated.body.id}`, { body: { requests_per_minute: null } })
  const raised = await member.ask('PATCH', `/keys/${key.id}`, { body: { requests_per_minute: 9 } })
  assert.equal(raised.body['requests_per_minute'], 9)
})

test('403: limits that the operator gave a member with the key are held', async () => {
  const { id, open } = await openConsoleOrganization(console_)
  const member = await open('member')
  const input = { organization: id, name: 'given', ownerId: member.accountId }
  const given = { ...input, requests_per_minute: 3 }
  const key = await createKey(console_.environment, SHELL, given)
  const lift = () => member.ask('PATCH', `/keys/${key.id}`, { body: { requests_per_minute: null } })
  assert.equal((await lift()).status, 403)
  const change = { organization: id, key: key.id, requests_per_minute: null }
  await changeKey(console_.environment, SHELL, change)
  assert.equal((await lift()).status, 200)
})
