import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { forgetDeleted } from '../../src/store/people/purge.ts'
import { writeAuditEvent } from '../../src/store/people/audit-events.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, openSession, type Person } from '../harness/processes/console.ts'
import { addRefund } from '../harness/seed/refunds.ts'
import { findText } from '../harness/servers/find-text.ts'
import { THINGS } from '../harness/routes/things.ts'
import {
  openPersonWithPassword,
  signIn,
  startMailingConsole,
  STRANGER,
  tokenIn,
  untilWorkIsDone,
} from '../harness/clients/sign-in.ts'

const started = await startMailingConsole({ sign_up: 'open' })
after(() => started[Symbol.asyncDispose]())

const remove = (person: Person) => ask(started.server.root, 'DELETE', '/me', { as: person.as })
const removeAs = (as: Person['as'], account: string) =>
  ask(started.server.root, 'DELETE', `/operator/accounts/${account}`, { as })

/** A person who has left traces everywhere: in an organization, in the ledger, in the log. */
async function openBusyPerson() {
  const { server } = started
  const { database } = server.postgres
  const { id: organizationId, owner, open } = await openConsoleOrganization(server)
  const person = await openPersonWithPassword(server, { organizationId, role: 'owner' })
  const { accountId, as, email } = person
  const { projectId } = await place(organizationId)
  const where = { organizationId, projectId, ownerId: accountId }
  for (const thing of ['passkeys', 'sessions', 'management-keys', 'invitations', 'keys'])
    await THINGS[thing]!(database, where, accountId)
  const name = `Name ${crypto.randomUUID()}`
  await ask(server.root, 'PATCH', '/me', { as, body: { name } })
  await ask(server.root, 'POST', '/me/email', { as, body: { email: `new.${email}` } })
  await owner.ask('PATCH', `/members/${accountId}`, { body: { role: 'member' } })
  const { owner: elsewhere } = await openConsoleOrganization(server)
  await elsewhere.ask('POST', '/invitations', { body: { email, role: 'member' } })
  await ask(server.root, 'POST', '/password-resets', { as: STRANGER, body: { email } })
  await signIn(server, email, 'not the right one')
  await signIn(server, email)
  await untilWorkIsDone(server)
  const order = { engine: crypto.randomUUID(), state: 'disabled', note: null } as const
  await database
    .insertInto('engine_orders')
    .values({ ...order, ordered_by: email })
    .execute()
  await addRefund(database, organizationId, email)
  return { ...person, name, organizationId, owner, open }
}

async function place(organizationId: string) {
  const { id: projectId } = await started.server.postgres.database
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return { projectId }
}

test('whoever deletes their account is named in no table any more', async () => {
  const { server, mail } = started
  const { database } = server.postgres
  const person = await openBusyPerson()
  const { accountId, email, name } = person
  await database
    .updateTable('accounts')
    .set({ waiting_note: `I am ${name}.` })
    .where('id', '=', accountId)
    .execute()
  assert.deepEqual((await findText(database, email)).toSorted(), [
    'accounts',
    'audit_events',
    'engine_orders',
    'invitations',
    'mail_tokens',
    'refunds',
  ])
  const deleted = await remove(person)
  assert.equal(deleted.status, 204, deleted.text)
  assert.match(deleted.cookies.join(), /Max-Age=0/)
  await mail.take(email, 'was deleted')
  assert.deepEqual(await findText(database, email), [])
  assert.deepEqual(await findText(database, name), [])
  for (const table of ['sessions', 'passwords', 'passkeys', 'mail_tokens'] as const)
    assert.deepEqual(
      await database.selectFrom(table).selectAll().where('account_id', '=', accountId).execute(),
      [],
      table,
    )
  const events = await database
    .selectFrom('audit_events')
    .select(['action', 'actor_label', 'organization_id'])
    .where('actor_id', '=', accountId)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    [...new Set(events.map((event) => event.actor_label))],
    [`deleted-${accountId.slice(-12)}`],
  )
  assert.deepEqual(
    [events.at(-1)?.action, events.at(-1)?.organization_id],
    ['account.delete', person.organizationId],
  )
})

test('keys of somebody who was deleted stop, those of the organization go on', async () => {
  const { server } = started
  const { database } = server.postgres
  const { organizationId, ...person } = await openBusyPerson()
  const { projectId } = await place(organizationId)
  const where = { organizationId, projectId, ownerId: person.accountId }
  const shared = await THINGS['keys']!(database, where, person.accountId)
  await database
    .updateTable('api_keys')
    .set({ created_by: null })
    .where('id', '=', shared)
    .execute()
  const versionOf = () =>
    database
      .selectFrom('organizations')
      .select('version')
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow()
  const before_ = await versionOf()
  assert.equal((await remove(person)).status, 204)
  assert.ok((await versionOf()).version > before_.version)
  const keys = await database
    .selectFrom('api_keys')
    .select(['id', 'revoked_at', 'revoke_reason'])
    .where('organization_id', '=', organizationId)
    .execute()
  for (const { id, revoked_at, revoke_reason } of keys)
    if (id === shared) assert.equal(revoked_at, null)
    else assert.deepEqual([revoked_at === null, revoke_reason], [false, 'account deleted'])
  assert.equal(keys.length, 2)
})

test('sessions end at the next call, and the address begins anew with nothing', async () => {
  const { server, mail } = started
  const person = await openBusyPerson()
  const other = await openSession(server.postgres, person.accountId)
  assert.equal((await remove(person)).status, 204)
  for (const as of [person.as, other])
    assert.equal((await ask(server.root, 'GET', '/me', { as })).status, 401)
  assert.equal((await signIn(server, person.email)).status, 401)
  const { email } = person
  await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: { email } })
  const token = tokenIn((await mail.take(email, 'Confirm')).text)
  const body = { token, password: 'another-k7-plum-otter' }
  const made = await ask(server.root, 'POST', '/sign-ups/complete', { as: STRANGER, body })
  assert.equal(made.status, 201, made.text)
  const account = await server.postgres.database
    .selectFrom('accounts')
    .select(['id', 'name', 'platform_role'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  assert.notEqual(account.id, person.accountId)
  assert.deepEqual([account.name, account.platform_role], [null, null])
  for (const [table, column] of [
    ['memberships', 'account_id'],
    ['invitations', 'email'],
  ] as const) {
    const { rows } = await sql`
      select from ${sql.table(table)}
      where ${sql.ref(column)}::text in (${account.id}, ${email})`.execute(server.postgres.database)
    assert.equal(rows.length, 0, table)
  }
})

test('409: the only owner of an organization stays, and is told of which', async () => {
  const { server } = started
  const operator = await server.openPerson({ platformRole: 'operator' })
  const { id, owner, open } = await openConsoleOrganization(server)
  const { slug } = await server.postgres.database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (const answer of [await remove(owner), await removeAs(operator.as, owner.accountId)]) {
    assert.equal(answer.body.error.code, 'last_owner')
    assert.ok(answer.body.error.message.includes(slug))
  }
  const other = await open('owner')
  const both = await Promise.all([remove(owner), removeAs(operator.as, other.accountId)])
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([204, 409]))
})

test('an operator deletes a person with a recent confirmation, and no key does', async () => {
  const { server, mail } = started
  const operator = await server.openPerson({ platformRole: 'operator' })
  const support = await server.openPerson({ platformRole: 'support' })
  const old = await server.openPerson({ platformRole: 'operator', confirmed: false })
  const person = await server.openPerson()
  const facts = { createdBy: operator.accountId, organizationId: null }
  const key = await server.openManagementKey({ ...facts, scopes: ['platform:write'] })
  for (const [as, code] of [
    [key, 'scope_required'],
    [support.as, 'role_required'],
    [old.as, 'confirmation_required'],
  ] as const)
    assert.equal((await removeAs(as, person.accountId)).body.error.code, code)
  const unconfirmed = await server.openPerson({ confirmed: false })
  assert.equal((await remove(unconfirmed)).body.error.code, 'confirmation_required')
  assert.equal((await removeAs(operator.as, person.accountId)).status, 204)
  await mail.take(person.email, 'was deleted')
  assert.equal((await removeAs(operator.as, person.accountId)).status, 404)
  const path = `/operator/accounts/${person.accountId}`
  assert.equal((await ask(server.root, 'GET', path, { as: operator.as })).status, 404)
  const [event] = await server.postgres.database
    .selectFrom('audit_events')
    .select(['actor_label', 'target_label', 'organization_id'])
    .where('target_id', '=', person.accountId)
    .where('action', '=', 'account.delete')
    .execute()
  assert.deepEqual(event, {
    actor_label: operator.email,
    target_label: `deleted-${person.accountId.slice(-12)}`,
    organization_id: null,
  })
})

test('409: of operators who delete each other and themselves at once one remains', async () => {
  await using fresh = await startMailingConsole()
  const { server } = fresh
  const first = await server.openPerson({ platformRole: 'operator' })
  const second = await server.openPerson({ platformRole: 'operator' })
  const path = (account: Person) => `/operator/accounts/${account.accountId}`
  const answers = await Promise.all([
    ask(server.root, 'DELETE', path(first), { as: second.as }),
    ask(server.root, 'DELETE', path(second), { as: first.as }),
    ask(server.root, 'DELETE', '/me', { as: first.as }),
    ask(server.root, 'DELETE', '/me', { as: second.as }),
  ])
  for (const { status, text } of answers) assert.ok(status < 500, text)
  const left = await server.postgres.database
    .selectFrom('accounts')
    .select('id')
    .where('platform_role', '=', 'operator')
    .where('deleted_at', 'is', null)
    .execute()
  assert.equal(left.length, 1)
})

test('what a call writes after the deletion is forgotten by the worker', async () => {
  const { server } = started
  const { database } = server.postgres
  const person = await server.openPerson()
  assert.equal((await remove(person)).status, 204)
  await database.transaction().execute((transaction) =>
    writeAuditEvent(transaction, {
      organizationId: null,
      actor: { kind: 'person', id: person.accountId, label: person.email },
      action: 'account.change',
      target: { kind: 'account', id: person.accountId, label: person.email },
      changes: { name: [null, person.email] },
      requestId: randomBytes(8).toString('hex'),
    }),
  )
  await openSession(server.postgres, person.accountId)
  assert.deepEqual(await findText(database, person.email), ['audit_events'])
  await forgetDeleted(database)
  assert.deepEqual(await findText(database, person.email), [])
  const sessions = database.selectFrom('sessions').where('account_id', '=', person.accountId)
  assert.deepEqual(await sessions.select('id').execute(), [])
})

test('the audit log stays append-only, also while a person is forgotten', async () => {
  const { server } = started
  const { database } = server.postgres
  await remove(await server.openPerson())
  for (const change of [`action = 'nothing'`, `actor_id = 'x'`, `changes = '{"a": [1, 2]}'`])
    await assert.rejects(
      database.transaction().execute(async (transaction) => {
        await sql`set local headrace.forgetting_person = 'on'`.execute(transaction)
        await sql`update audit_events set ${sql.raw(change)}`.execute(transaction)
      }),
      /append-only/,
    )
  const living = await server.openPerson()
  await assert.rejects(
    sql`select forget_person(${living.accountId}, 'x', ${living.email})`.execute(database),
    /was not deleted/,
  )
  await assert.rejects(
    sql`update audit_events set actor_label = 'x'`.execute(server.environment.database),
    /permission denied/,
  )
})
