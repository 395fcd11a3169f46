import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addMember } from '../../src/store/tenants/memberships.ts'
import { ask, openSession } from '../harness/processes/console.ts'
import { setUpScim, type ScimClient } from '../harness/servers/scim.ts'
import { assertRefused, startSsoBench } from '../harness/servers/sso-bench.ts'

const bench = await startSsoBench()
after(() => bench[Symbol.asyncDispose]())

const GONE = { op: 'Replace', path: 'active', value: 'False' }

/** Each way in which a provider says that somebody has gone. */
const WAYS: Readonly<Record<string, (scim: ScimClient, id: string, name: string) => unknown>> = {
  PATCH: (scim, id) => scim.patch(`/Users/${id}`, GONE),
  PUT: (scim, id, userName) => scim.ask('PUT', `/Users/${id}`, { userName, active: false }),
  DELETE: (scim, id) => scim.ask('DELETE', `/Users/${id}`),
}

test('whoever is gone is refused at the next call, by session, by key and by SSO', async () => {
  const { scim, domain, connection, path, organizationId } = await setUpScim(bench)
  const { root, postgres } = bench.console_
  const { database } = postgres
  for (const [way, say] of Object.entries(WAYS)) {
    const email = `${way.toLowerCase()}@${domain}`
    const id = await scim.create(email)
    await database
      .updateTable('memberships')
      .set({ role: 'admin' })
      .where('account_id', '=', id)
      .execute()
    const { as } = await bench.signIn(connection, email)
    const byPassword = await openSession(postgres, id)
    const scopes = ['members:read']
    const facts = { createdBy: id, organizationId, scopes }
    const key = await bench.console_.openManagementKey(facts)
    const call = async () => [
      (await bench.enter(path, as)).status,
      (await bench.enter(path, byPassword)).status,
      (await ask(root, 'GET', `${path}/members`, { as: key })).status,
      (await ask(root, 'GET', '/me', { as: byPassword })).status,
    ]
    assert.deepEqual(await call(), [200, 200, 200, 200], way)
    await say(scim, id, email)
    // The session that the provider vouched for has ended. The other one is still the person's.
    assert.deepEqual(await call(), [401, 404, 403, 200], way)
    assertRefused(await bench.signIn(connection, email), 'not_a_member')
  }
})

test('who comes back is a member again, with no more than that', async () => {
  const { scim, domain, connection, path } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const email = `back@${domain}`
  const id = await scim.create(email)
  await database
    .updateTable('memberships')
    .set({ role: 'owner' })
    .where('account_id', '=', id)
    .execute()
  await scim.patch(`/Users/${id}`, GONE)
  const seen = await scim.ask('GET', `/Users/${id}`)
  assert.deepEqual([seen.status, seen.body['active']], [200, false])
  const back = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })
  assert.deepEqual([back.status, back.body['active']], [200, true])
  const { as } = await bench.signIn(connection, email)
  assert.equal((await bench.enter(path, as)).status, 200)
  assert.equal((await bench.accountsOf(email))[0]?.role, 'member')
  await scim.ask('DELETE', `/Users/${id}`)
  assert.equal((await scim.ask('GET', `/Users/${id}`)).status, 404)
  assert.equal(await scim.create(email), id)
})

test('who left the domain can be deactivated, but does not come back', async () => {
  const { scim, domain } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const id = await scim.create(`mover@${domain}`)
  const address = { email: `${crypto.randomUUID()}@elsewhere.example` }
  await database.updateTable('accounts').set(address).where('id', '=', id).execute()
  assert.equal((await scim.patch(`/Users/${id}`, GONE)).status, 200)
  const back = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } })
  assert.deepEqual([back.status, back.body['scimType']], [400, 'invalidValue'])
})

test('409: the last owner who can sign in stays, whoever else is an owner', async () => {
  const { scim, domain, organizationId, owner } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const id = await scim.create(`boss@${domain}`)
  const role = (accountId: string, given: 'owner' | 'member') =>
    database
      .updateTable('memberships')
      .set({ role: given })
      .where('organization_id', '=', organizationId)
      .where('account_id', '=', accountId)
      .execute()
  const refused = async () => {
    const answers = await Promise.all([
      scim.patch(`/Users/${id}`, GONE),
      scim.ask('PUT', `/Users/${id}`, { userName: `boss@${domain}`, active: false }),
      scim.ask('DELETE', `/Users/${id}`),
    ])
    return answers.map(({ status }) => status)
  }
  await role(id, 'owner')
  await role(owner.accountId, 'member')
  assert.deepEqual(await refused(), [409, 409, 409], 'there is no other owner')
  await role(owner.accountId, 'owner')
  await database
    .updateTable('accounts')
    .set({ state: 'restricted' })
    .where('id', '=', owner.accountId)
    .execute()
  assert.deepEqual(await refused(), [409, 409, 409], 'the other owner is restricted')
  await database
    .updateTable('accounts')
    .set({ state: 'active' })
    .where('id', '=', owner.accountId)
    .execute()
  const onlySso = { sso_only: true }
  const where = ['id', '=', organizationId] as const
  await database
    .updateTable('organizations')
    .set(onlySso)
    .where(...where)
    .execute()
  assert.deepEqual(await refused(), [409, 409, 409], 'the other owner cannot use SSO')
  await database
    .updateTable('organizations')
    .set({ sso_only: false })
    .where(...where)
    .execute()
  assert.equal((await scim.patch(`/Users/${id}`, GONE)).status, 200)
})

test('memberships in other organizations stay', async () => {
  const { scim, domain } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const other = await bench.setUp()
  const id = await scim.create(`both@${domain}`)
  const ids = { organizationId: other.organizationId, accountId: id }
  await addMember(database, ids, 'admin')
  const as = await openSession(bench.console_.postgres, id)
  await scim.ask('DELETE', `/Users/${id}`)
  assert.equal((await bench.enter(other.path, as)).status, 200)
})

test('each change is one event of the token; a repeated one is none', async () => {
  const { scim, domain, organizationId, tokenId } = await setUpScim(bench)
  const { database } = bench.console_.postgres
  const id = await scim.create(`events@${domain}`)
  for (const value of [false, false, true])
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })
  await scim.ask('DELETE', `/Users/${id}`)
  const events = await database
    .selectFrom('audit_events')
    .select(['action', 'actor_kind', 'actor_id', 'changes', 'target_id'])
    .where('organization_id', '=', organizationId)
    .where('action', 'like', 'scim_user.%')
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ action, actor_kind: kind, actor_id: actor, target_id: target, changes }) => [
      action,
      kind,
      actor === tokenId && target === id,
      changes['active'],
    ]),
    [
      ['scim_user.create', 'scim_token', true, [false, true]],
      ['scim_user.change', 'scim_token', true, [true, false]],
      ['scim_user.change', 'scim_token', true, [false, true]],
      ['scim_user.delete', 'scim_token', true, [true, false]],
    ],
  )
})
