import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

test('admins rename an organization once for each version of it', async () => {
  const { owner, open, events } = await openConsoleOrganization(console_)
  const admin = await open('admin')
  const shown = await owner.ask('GET', '')
  assert.equal(shown.body['plan'], 'ample')
  const headers = { 'if-match': shown.headers['etag']! }
  const renamed = await admin.ask('PATCH', '', { body: { name: 'Acme' }, headers })
  assert.equal(renamed.body['name'], 'Acme')
  const stale = await owner.ask('PATCH', '', { body: { name: 'Other' }, headers })
  assert.equal(stale.status, 412)
  const [event, ...others] = await events()
  assert.deepEqual(others, [])
  assert.deepEqual(event?.changes['name'], [shown.body['name'], 'Acme'])
  const bad = await owner.ask('PATCH', '', { body: { name: 'a\u0000b' } })
  assert.equal(bad.status, 400, bad.text)
})

test('plan, limits and billing state are not the organization’s to change', async () => {
  const { owner, open } = await openConsoleOrganization(console_)
  for (const field of ['plan', 'billing_state', 'requests_per_minute', 'slug', 'version']) {
    const answer = await owner.ask('PATCH', '', { body: { [field]: 'x' } })
    assert.deepEqual([answer.status, answer.body.error.param], [400, field])
  }
  const member = await open('member')
  const refused = await member.ask('PATCH', '', { body: { name: 'x' } })
  assert.equal(refused.body.error.code, 'role_required')
})
