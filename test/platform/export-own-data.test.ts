import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { THINGS } from '../harness/routes/things.ts'
import { provisionMember } from '../harness/servers/scim.ts'
import { openPersonWithPassword } from '../harness/clients/sign-in.ts'
import { writeAuditEvent } from '../../src/store/people/audit-events.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

type Exported = {
  readonly account: { readonly email: string }
  readonly [list: string]: unknown
}

test('a person downloads everything that the service knows of them, and no secret', async () => {
  const { database } = console_.postgres
  const { id: organizationId, projectId, owner } = await openConsoleOrganization(console_)
  const person = await openPersonWithPassword(console_, { organizationId, role: 'owner' })
  const where = { organizationId, projectId, ownerId: person.accountId }
  for (const thing of ['passkeys', 'keys', 'management-keys'])
    await THINGS[thing]!(database, where, person.accountId)
  const scim = { organizationId, accountId: person.accountId }
  const provider = await provisionMember(console_.postgres, console_.root, scim)
  const members = [{ value: person.accountId }]
  await provider.ask('POST', '/Groups', { displayName: 'Choir', members })
  const body = { email: 'friend@example.com', role: 'member' }
  const path = `/organizations/${organizationId}/invitations`
  await ask(console_.root, 'POST', path, { as: person.as, body })
  const answer = await ask(console_.root, 'GET', '/me/export', { as: person.as })
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.headers['content-disposition'] ?? '', /my-data\.json/)
  const exported = JSON.parse(answer.text) as Exported
  assert.equal(exported.account.email, person.email)
  const count = (list: string) => (exported[list] as unknown[]).length
  const lists = ['sessions', 'passkeys', 'organizations', 'api_keys', 'management_keys']
  assert.deepEqual(lists.map(count), [1, 1, 1, 1, 1])
  const [provisioned] = exported['provisioned'] as Record<string, unknown>[]
  assert.equal(provisioned?.['user_name'], person.accountId)
  assert.deepEqual(provisioned?.['groups'], ['Choir'])
  const events = exported['audit_events'] as { action: string }[]
  assert.deepEqual(
    events.map(({ action }) => action),
    ['account.export', 'invitation.create'],
  )
  for (const others of [owner.email, owner.accountId, 'friend@example.com'])
    assert.ok(!answer.text.includes(others))
  const secrets = await database.selectFrom('passwords').select('phc').execute()
  for (const { phc } of secrets) assert.ok(!answer.text.includes(phc))
  assert.ok(!/hash|sealed|public_key|token/.test(answer.text))
})

test('a long history is exported whole, newest first', async () => {
  const person = await console_.openPerson()
  const { database } = console_.postgres
  await database.transaction().execute(async (transaction) => {
    for (let at = 0; at < 1_001; at += 1)
      await writeAuditEvent(transaction, {
        organizationId: null,
        actor: { kind: 'person', id: person.accountId, label: person.email },
        action: 'account.change',
        target: { kind: 'account', id: person.accountId, label: person.email },
        changes: {},
        requestId: randomBytes(8).toString('hex'),
      })
  })
  const answer = await ask(console_.root, 'GET', '/me/export', { as: person.as })
  const { audit_events: events } = JSON.parse(answer.text) as { audit_events: { id: string }[] }
  assert.equal(events.length, 1_002)
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)),
  )
})

test('the export is for whoever is signed in, and no key gets it', async () => {
  const person = await console_.openPerson()
  const facts = { createdBy: person.accountId, organizationId: null, scopes: ['platform:read'] }
  const key = await console_.openManagementKey(facts)
  assert.equal((await ask(console_.root, 'GET', '/me/export')).status, 401)
  assert.equal((await ask(console_.root, 'GET', '/me/export', { as: key })).status, 403)
})
