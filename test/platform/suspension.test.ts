import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
const operator = await console_.openPerson({ platformRole: 'operator' })
const support = await console_.openPerson({ platformRole: 'support' })
after(() => console_[Symbol.asyncDispose]())

test('suspending needs a reason, which members read and the audit log keeps', async () => {
  const { id } = await console_.openOrganization()
  const send = (suspension: unknown, as = operator.as) =>
    ask(console_.root, 'PATCH', `/operator/organizations/${id}`, { as, body: { suspension } })
  const version = async () => {
    const rows = console_.postgres.database.selectFrom('organizations').select('version')
    return (await rows.where('id', '=', id).executeTakeFirstOrThrow()).version
  }
  const member = await console_.openPerson({ organizationId: id, role: 'viewer' })
  const seen = async () => {
    const { body } = await ask(console_.root, 'GET', '/me/organizations', { as: member.as })
    const { refused, suspended_reason: reason } = body.data[0]!
    return [refused, reason]
  }
  assert.deepEqual(await seen(), [null, null])
  const earlier = await version()
  for (const suspension of [{}, { reason: '' }, { reason: 'x'.repeat(201) }])
    assert.equal((await send(suspension)).status, 400)
  const bySupport = await send({ reason: 'x' }, support.as)
  assert.equal(bySupport.status, 403)
  const suspended = await send({ reason: 'Spam.' })
  const { since, reason } = suspended.body['suspension'] as { since: string; reason: string }
  assert.equal(reason, 'Spam.')
  assert.deepEqual(await seen(), ['suspended', 'Spam.'])
  assert.equal(await version(), earlier + 1)
  const again = await send({ reason: 'Fraud.' })
  assert.deepEqual(again.body['suspension'], { since, reason: 'Fraud.' })
  const lifted = await send(null)
  assert.equal(lifted.body['suspension'], null)
  assert.deepEqual(await seen(), [null, null])
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select('changes')
    .where('organization_id', '=', id)
    .where('action', '=', 'organization.change')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ changes }) => changes),
    [
      { suspended_reason: [null, 'Spam.'] },
      { suspended_reason: ['Spam.', 'Fraud.'] },
      { suspended_reason: ['Fraud.', null] },
    ],
  )
})
