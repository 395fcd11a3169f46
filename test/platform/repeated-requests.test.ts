import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, openSession, startConsole, type Headers } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

/** Creates a project with an idempotency key, again and again. */
async function openRepeated() {
  const organization = await openConsoleOrganization(console_)
  const admin = await organization.open('admin')
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const path = `/organizations/${organization.id}/projects`
  const body = { name: `p-${crypto.randomUUID().slice(0, 8)}` }
  const create = (as: Headers = admin.as) => ask(console_.root, 'POST', path, { as, body, headers })
  assert.equal((await create()).status, 201)
  const repeated = await create()
  assert.deepEqual([repeated.status, repeated.headers['idempotency-replayed']], [201, 'true'])
  return { organization, admin, create }
}

test('404: an answer is not repeated for somebody who was removed', async () => {
  const { organization, admin, create } = await openRepeated()
  await organization.owner.ask('DELETE', `/members/${admin.accountId}`)
  const refused = await create()
  assert.deepEqual([refused.status, refused.body.error.code], [404, 'not_found'])
})

test('403: an answer is not repeated for a lower role or a restricted account', async () => {
  const { organization, admin, create } = await openRepeated()
  const path = `/members/${admin.accountId}`
  await organization.owner.ask('PATCH', path, { body: { role: 'viewer' } })
  assert.equal((await create()).body.error.code, 'role_required')
  await organization.owner.ask('PATCH', path, { body: { role: 'admin' } })
  assert.equal((await create()).status, 201)
  await console_.postgres.database
    .updateTable('accounts')
    .set({ state: 'restricted' })
    .where('id', '=', admin.accountId)
    .execute()
  assert.equal((await create()).body.error.code, 'account_restricted')
})

test('403: an answer is not repeated for a session without its second factor', async () => {
  const { admin, create } = await openRepeated()
  const incomplete = await openSession(console_.postgres, admin.accountId, { incomplete: true })
  assert.equal((await create(incomplete)).body.error.code, 'second_factor_required')
})

test('403: an answer is not repeated without the confirmation that the change needs', async () => {
  const { organization } = await openRepeated()
  const { owner, id } = organization
  const { body: project } = await owner.ask('POST', '/projects', { body: { name: 'ends' } })
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const path = `/organizations/${id}/projects/${project.id}/archive`
  const archive = (as: Headers) => ask(console_.root, 'POST', path, { as, headers, body: {} })
  assert.equal((await archive(owner.as)).status, 200)
  assert.equal((await archive(owner.as)).headers['idempotency-replayed'], 'true')
  const stale = await openSession(console_.postgres, owner.accountId, { confirmed: false })
  assert.equal((await archive(stale)).body.error.code, 'confirmation_required')
})

test("404: an answer about somebody else's key is not repeated for a mere member", async () => {
  const { organization, admin } = await openRepeated()
  const { owner, open } = organization
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const revoke = async (who: typeof owner, key: string) =>
    who.ask('POST', `/keys/${key}/revoke`, { body: {}, headers })
  const { body: others } = await owner.ask('POST', '/keys', { body: { name: "an owner's" } })
  assert.equal((await revoke(admin, others.id)).status, 200)
  await owner.ask('PATCH', `/members/${admin.accountId}`, { body: { role: 'member' } })
  assert.equal((await revoke(admin, others.id)).body.error.code, 'not_found')
  const member = await open('member')
  const { body: own } = await member.ask('POST', '/keys', { body: { name: 'their own' } })
  assert.equal((await revoke(member, own.id)).status, 200)
  assert.equal((await revoke(member, own.id)).headers['idempotency-replayed'], 'true')
})
