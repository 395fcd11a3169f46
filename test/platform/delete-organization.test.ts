import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { grantFunds } from '../../src/platform/billing/change-funds.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'
import { createKey } from '../../src/platform/keys/create-key.ts'
import { findBillingContacts } from '../../src/store/payments/billing-contacts.ts'
import { findByKeyHash } from '../../src/store/tenants/identities.ts'
import { hashApiKey, type ApiKey } from '../../src/tenancy/api-key.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'
import { THINGS } from '../harness/routes/things.ts'

const console_ = await startConsole((config) => ({
  ...config,
  console: { ...config.console, sign_up: 'open' },
  plans: {
    ...config.plans,
    before: { ...config.plans['ample']!, billing: 'prepaid' },
    later: { ...config.plans['ample']!, billing: 'postpaid' },
  },
}))
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const

const endAs = (as: Headers, id: string, query = '') =>
  ask(console_.root, 'DELETE', `/operator/organizations/${id}${query}`, { as })

async function slugOf(id: string): Promise<string> {
  const { database } = console_.postgres
  const organization = database.selectFrom('organizations').where('id', '=', id)
  return (await organization.select('slug').executeTakeFirstOrThrow()).slug
}

async function grant(organization: string, amount: number): Promise<void> {
  const reference = crypto.randomUUID()
  const input = { organization, amount, reference, reason: 'test' }
  await grantFunds(console_.environment, SHELL, input)
}

test('an owner deletes the organization: keys, members and settings are gone at once', async () => {
  const { database, pool } = console_.postgres
  const { id, owner, open, projectId } = await openConsoleOrganization(console_)
  const member = await open('member')
  const where = { organizationId: id, projectId, ownerId: owner.accountId }
  for (const thing of ['invitations', 'sso-connections', 'domains', 'support-access'])
    await THINGS[thing]!(database, where, owner.accountId)
  const key = await owner.ask('POST', '/keys', { body: { project: projectId, name: 'ci' } })
  const hash = hashApiKey(key.body.key as ApiKey)
  const facts = { createdBy: owner.accountId, organizationId: id, scopes: ['keys:read'] }
  const managementKey = await console_.openManagementKey(facts)
  const before_ = await findByKeyHash(pool, hash)
  assert.equal(before_?.credential.kind, 'api_key')
  await sql`
    insert into content_keys (id, organization_id, retention, day, wrapped)
    values (gen_random_uuid(), ${id}, 'standard', now(), '')`.execute(database)
  const alert = { thresholds: ['5'], emails: ['a@example.com'] }
  await owner.ask('PUT', '/spending-alerts', { body: alert })
  await owner.ask('PUT', '/billing-contacts', { body: { emails: alert.emails } })
  const slug = await slugOf(id)
  const ended = await owner.ask('DELETE', '')
  assert.equal(ended.status, 204, ended.text)
  assert.equal(await findByKeyHash(pool, hash), undefined)
  for (const as of [owner.as, member.as])
    assert.equal((await ask(console_.root, 'GET', `/organizations/${id}`, { as })).status, 404)
  const byKey = await ask(console_.root, 'GET', `/organizations/${id}/keys`, { as: managementKey })
  assert.equal(byKey.status, 401)
  for (const table of [
    'invitations',
    'sso_connections',
    'sso_domains',
    'spending_alerts',
    'support_access',
    'request_links',
  ] as const)
    assert.deepEqual(
      await database.selectFrom(table).select('id').where('organization_id', '=', id).execute(),
      [],
      table,
    )
  assert.deepEqual(await findBillingContacts(database, id), [])
  const content = sql`select from content_keys where organization_id = ${id}`
  assert.deepEqual((await content.execute(database)).rows, [])
  const mine = await ask(console_.root, 'GET', '/me/organizations', { as: owner.as })
  assert.deepEqual(mine.body.data, [])
  const again = { slug, name: 'Another' }
  const taken = await ask(console_.root, 'POST', '/organizations', { as: owner.as, body: again })
  assert.equal(taken.status, 201, taken.text)
  assert.notEqual(taken.body.id, id)
})

test('the version is raised, so that no process serves a key that it knows already', async () => {
  const { database } = console_.postgres
  const { id, owner } = await openConsoleOrganization(console_)
  const versionOf = () =>
    database
      .selectFrom('organizations')
      .select('version')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const { version } = await versionOf()
  await owner.ask('DELETE', '')
  assert.ok((await versionOf()).version > version)
  const waiting = database.selectFrom('announcements').where('organization_id', '=', id)
  assert.deepEqual(await waiting.selectAll().execute(), [])
})

test('what was begun before and ends after leaves no key that works', async () => {
  const { id, owner, projectId } = await openConsoleOrganization(console_)
  const { database, pool } = console_.postgres
  await owner.ask('DELETE', '')
  const create = () =>
    createKey(console_.environment, SHELL, { organization: id, project: projectId, name: 'late' })
  await assert.rejects(create())
  const where = { organizationId: id, projectId, ownerId: owner.accountId }
  const keyId = await THINGS['keys']!(database, where, owner.accountId)
  const stored = database.selectFrom('api_keys').select('hash').where('id', '=', keyId)
  assert.equal(await findByKeyHash(pool, (await stored.executeTakeFirstOrThrow()).hash), undefined)
})

test('409: money keeps an organization, until somebody says that it is forfeited', async () => {
  const { database } = console_.postgres
  const { id, owner, events } = await openConsoleOrganization(console_)
  await grant(id, 12_500_000)
  const refused = await owner.ask('DELETE', '')
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
  assert.match(refused.body.error.message, /12\.5/)
  assert.equal(refused.body.error.param, 'forfeit_balance')
  assert.equal((await owner.ask('GET', '')).status, 200)
  const ended = await owner.ask('DELETE', '?forfeit_balance=true')
  assert.equal(ended.status, 204, ended.text)
  const { sum, wrong } = await checkLedger(database)
  assert.deepEqual([sum, wrong], [0, []])
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const asked = { as: operator.as }
  const path = `/operator/organizations/${id}`
  const shown = await ask(console_.root, 'GET', path, asked)
  const { balance } = shown.body['balance'] as { balance: { amount: string } }
  assert.equal(Number(balance.amount), 0)
  const history = await ask(console_.root, 'GET', `${path}/transfers`, asked)
  assert.deepEqual(
    history.body.data.map(({ made_by, reason }) => [made_by, reason]),
    [
      [owner.email, 'organization deleted, balance forfeited'],
      ['test', 'test'],
    ],
  )
  const event = (await events()).at(-1)
  assert.equal(event?.action, 'organization.delete')
  assert.deepEqual(Object.keys(event.changes).toSorted(), ['balance', 'keys', 'members', 'name'])
})

test('409: an owner cannot delete a debt; when an operator does, the log has it', async () => {
  const { pool } = console_.postgres
  const { owner, events, ...organization } = await openConsoleOrganization(console_)
  const { id } = organization
  await pool.query(`update organizations set plan = 'later' where id = $1`, [id])
  await addUsage(pool, organization, 60_000_000)
  for (const query of ['', '?forfeit_balance=true']) {
    const { status, body } = await owner.ask('DELETE', query)
    assert.deepEqual([status, body.error.code, body.error.param], [409, 'conflict', null])
    assert.match(body.error.message, /owes 60\.00 USD.*operator/)
  }
  assert.equal((await owner.ask('GET', '')).status, 200)
  const operator = await console_.openPerson({ platformRole: 'operator' })
  assert.equal((await endAs(operator.as, id)).status, 204)
  const { changes } = (await events()).at(-1)!
  const owed = { amount: '60.00', amount_micro: 60_000_000, currency: 'USD' }
  assert.deepEqual(changes['owed'], [null, owed])
})

test('of the card that was kept nothing is left; the customer at the provider stays', async () => {
  const { database } = console_.postgres
  const { id, owner } = await openConsoleOrganization(console_)
  const card = { card_brand: 'visa', card_last_four: '4242', card_expires_month: 8 }
  await database
    .insertInto('provider_customers')
    .values({ organization_id: id, ref: 'cus_1', card_ref: 'pm_1', ...card })
    .execute()
  assert.equal((await owner.ask('DELETE', '')).status, 204)
  const rows = database.selectFrom('provider_customers').where('organization_id', '=', id)
  const left = (await rows.selectAll().execute()).map((row) =>
    Object.entries(row).filter(([, value]) => value !== null && !(value instanceof Date)),
  )
  assert.deepEqual(left, [
    [
      ['organization_id', id],
      ['ref', 'cus_1'],
    ],
  ])
})

test('409: what running requests cost and what is not posted yet is a debt, too', async () => {
  const { pool } = console_.postgres
  const { owner, ...organization } = await openConsoleOrganization(console_)
  const { id } = organization
  await pool.query(`update organizations set plan = 'later' where id = $1`, [id])
  await addUsage(pool, organization, 100_000)
  const { funds } = organizationKeys(id)
  const { valkey } = console_.environment
  await valkey.call('HSET', [funds, 'spent', '300000', 'reserved', '200000'])
  const refused = await owner.ask('DELETE', '')
  assert.equal(refused.status, 409, refused.text)
  assert.match(refused.body.error.message, /owes 0\.50 USD/)
  await valkey.call('HSET', [funds, 'reserved', '199999'])
  assert.equal((await owner.ask('DELETE', '')).status, 204, 'no invoice asks for less')
})

test('what a prepaid organization used beyond its balance does not keep it', async () => {
  const { pool } = console_.postgres
  const { owner, ...organization } = await openConsoleOrganization(console_)
  await pool.query(`update organizations set plan = 'before' where id = $1`, [organization.id])
  await addUsage(pool, organization, 60_000_000)
  assert.equal((await owner.ask('DELETE', '')).status, 204)
})

test('operators still read ledger and audit log by the id, and change nothing', async () => {
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const { id, owner } = await openConsoleOrganization(console_)
  await owner.ask('DELETE', '')
  const get = (path: string) => ask(console_.root, 'GET', path, { as: operator.as })
  const shown = await get(`/operator/organizations/${id}`)
  const organization = shown.body['organization'] as Record<string, unknown>
  assert.equal(typeof organization['deleted_at'], 'string')
  assert.equal(organization['slug'], `deleted-${id.slice(-12)}`)
  const log = await get(`/operator/audit-events?organization=${id}`)
  assert.equal(log.body.data[0]?.['action'], 'organization.delete')
  const listed = await get('/operator/organizations?limit=100')
  assert.ok(!listed.text.includes(id))
  const body = { name: 'Risen' }
  const path = `/operator/organizations/${id}`
  const changed = await ask(console_.root, 'PATCH', path, { as: operator.as, body })
  assert.equal(changed.status, 404)
  assert.equal((await endAs(operator.as, id)).status, 404)
})

test('403: only owners and operators delete, with a recent confirmation, never a key', async () => {
  const { id, owner, open } = await openConsoleOrganization(console_)
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const support = await console_.openPerson({ platformRole: 'support' })
  for (const role of ['viewer', 'member', 'admin'] as const)
    assert.equal((await (await open(role)).ask('DELETE', '')).body.error.code, 'role_required')
  const old = await open('owner', { confirmed: false })
  assert.equal((await old.ask('DELETE', '')).body.error.code, 'confirmation_required')
  const facts = { createdBy: owner.accountId, organizationId: id }
  const key = await console_.openManagementKey({ ...facts, scopes: ['organization:write'] })
  const path = `/organizations/${id}`
  const byKey = await ask(console_.root, 'DELETE', path, { as: key })
  assert.equal(byKey.body.error.code, 'scope_required')
  const platform = { createdBy: operator.accountId, organizationId: null }
  const platformKey = await console_.openManagementKey({ ...platform, scopes: ['platform:write'] })
  assert.equal((await endAs(platformKey, id)).body.error.code, 'scope_required')
  assert.equal((await endAs(support.as, id)).body.error.code, 'role_required')
  assert.equal((await endAs(operator.as, id)).status, 204)
})

test('of an owner who deletes and one who goes at once neither leaves a wreck', async () => {
  const { id, owner, open } = await openConsoleOrganization(console_)
  const other = await open('owner')
  const answers = await Promise.all([
    owner.ask('DELETE', ''),
    ask(console_.root, 'DELETE', '/me', { as: owner.as }),
    ask(console_.root, 'DELETE', '/me', { as: other.as }),
    other.ask('DELETE', ''),
  ])
  for (const { status, text } of answers) assert.ok(status < 500, text)
  const { database } = console_.postgres
  const { deleted_at } = await database
    .selectFrom('organizations')
    .select('deleted_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const owners = await database
    .selectFrom('memberships')
    .select('account_id')
    .where('organization_id', '=', id)
    .where('state', '=', 'active')
    .execute()
  assert.equal(owners.length > 0, deleted_at === null)
})
