import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { createApiKey, hashApiKey } from '../../tenancy/api-key.ts'
import { changeAccount, createAccount } from './accounts.ts'
import { revokeApiKey, storeApiKey } from './api-keys.ts'
import { findByKeyHash, findByKeyHashes, findForPlayground } from './identities.ts'
import { addMember, changeMember } from './memberships.ts'
import { changeOrganization, createOrganization } from './organizations.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { archiveProject, findProject } from './projects.ts'

const database = await createDatabase()
const postgres = openPostgres(database.url)

endWithFile(postgres, database)

let serial = 0

/** Creates an organization with an owner, its first project and a key of the owner. */
async function populate() {
  serial += 1
  const account = await createAccount(postgres.database, {
    email: `owner-${serial}@example.com`,
    state: 'active',
    registered: true,
  })
  const organization = await createOrganization(postgres.database, {
    slug: `organization-${serial}`,
    name: 'Organization',
    plan: 'free',
    retention: 'zero',
    ownerAccountId: account.id,
  })
  const project = await findProject(postgres.database, organization.id, 'default')
  const key = createApiKey('headrace')
  const stored = await storeApiKey(postgres.database, key, {
    projectId: project.id,
    createdByAccountId: account.id,
    name: 'test',
    expiresAt: null,
    ignoredParameters: ['user'],
  })
  return { account, organization, project, key, stored }
}

test('a key is found with everything stored about it', async () => {
  const { account, organization, project, key, stored } = await populate()
  assert.deepEqual(await findByKeyHash(postgres.pool, hashApiKey(key)), {
    credential: {
      kind: 'api_key',
      id: stored.id,
      expiresAt: null,
      revokedAt: null,
      models: null,
      ignoredParameters: ['user'],
      limits: null,
    },
    project: { id: project.id, archived: false, spendingLimit: null, spent: 0 },
    organization: {
      id: organization.id,
      plan: 'free',
      limitOverrides: {
        requestsPerMinute: null,
        requestsPerDay: null,
        tokensPerMinute: null,
        tokensPerDay: null,
      },
      retention: 'zero',
      terms: null,
      billingState: 'ok',
      overdueMonth: null,
      suspended: false,
      allowedNetworks: null,
      version: 1,
      granted: 0,
      spent: 0,
      creditLimit: null,
      receivable: 0,
    },
    account: { id: account.id, state: 'active', registered: true },
    membership: { role: 'owner', state: 'active' },
  })
})

test("what an organization owes is read only with a credit limit, and no other's", async () => {
  const { organization, key } = await populate()
  const other = await populate()
  const { database: tables } = postgres
  const read = async () => {
    const identity = await findByKeyHash(postgres.pool, hashApiKey(key))
    return [identity?.organization.creditLimit, identity?.organization.receivable]
  }
  const owes = (id: string) => ({ id: `receivable:${id}`, organization_id: id, credits: 40 })
  const owed = [
    { ...owes(organization.id), debits: 100 },
    { ...owes(other.organization.id), debits: 7_000 },
  ]
  await tables.insertInto('ledger_accounts').values(owed).execute()
  assert.deepEqual(await read(), [null, 0])
  await changeOrganization(tables, organization.id, { creditLimit: 0 })
  assert.deepEqual(await read(), [0, 60])
})

test('every change shows in the identity, together with a higher version', async () => {
  const { account, organization, project, key, stored } = await populate()
  await changeAccount(postgres.database, account.id, { state: 'restricted', registered: false })
  await changeMember(
    postgres.database,
    { organizationId: organization.id, accountId: account.id },
    { state: 'removed' },
  )
  await changeOrganization(postgres.database, organization.id, {
    plan: 'paid',
    billingState: 'conflict',
    suspendedReason: 'abuse',
    creditLimit: 5_000,
    retention: 'contributor',
    terms: { version: '2026-01', acceptedByAccountId: account.id },
    limits: { tokensPerDay: 9_000_000_000, requestsPerMinute: 0 },
  })
  await postgres.database
    .updateTable('organizations')
    .set({ overdue_month: '2026-10' })
    .where('id', '=', organization.id)
    .execute()
  await archiveProject(postgres.database, project)
  await revokeApiKey(postgres.database, stored)
  const identity = await findByKeyHash(postgres.pool, hashApiKey(key))
  assert.ok(identity !== undefined && identity.credential.kind === 'api_key')
  assert.ok(identity.credential.revokedAt instanceof Date)
  assert.equal(identity.project.archived, true)
  assert.deepEqual(identity.account, { id: account.id, state: 'restricted', registered: false })
  assert.deepEqual(identity.membership, { role: 'owner', state: 'removed' })
  const { terms, limitOverrides, ...rest } = identity.organization
  assert.deepEqual(rest, {
    id: organization.id,
    plan: 'paid',
    retention: 'contributor',
    allowedNetworks: null,
    billingState: 'conflict',
    overdueMonth: '2026-10',
    suspended: true,
    version: 6,
    granted: 0,
    spent: 0,
    creditLimit: 5_000,
    receivable: 0,
  })
  assert.deepEqual([terms?.version, terms?.acceptedBy], ['2026-01', account.id])
  assert.deepEqual(limitOverrides, {
    requestsPerMinute: 0,
    requestsPerDay: null,
    tokensPerMinute: null,
    tokensPerDay: 9_000_000_000,
  })
})

test('a key owned by the organization has no account and no membership', async () => {
  const { project } = await populate()
  const key = createApiKey('headrace')
  const expiresAt = new Date('2030-01-01T00:00:00.123Z')
  await storeApiKey(postgres.database, key, {
    projectId: project.id,
    createdByAccountId: null,
    name: 'service',
    expiresAt,
  })
  const identity = await findByKeyHash(postgres.pool, hashApiKey(key))
  assert.deepEqual([identity?.account, identity?.membership], [null, null])
  assert.deepEqual(identity?.credential.expiresAt, expiresAt)
})

test('an unknown key is not found', async () => {
  assert.equal(await findByKeyHash(postgres.pool, hashApiKey(createApiKey('headrace'))), undefined)
})

test('only an active member can create a key, and none in an archived project', async () => {
  const { project, account, organization } = await populate()
  const stranger = await populate()
  const store = (createdByAccountId: string | null) =>
    storeApiKey(postgres.database, createApiKey('headrace'), {
      projectId: project.id,
      createdByAccountId,
      name: 'no',
      expiresAt: null,
    })
  await assert.rejects(store(stranger.account.id), { name: 'ChangeRefused' })
  const membership = { organizationId: organization.id, accountId: account.id }
  await changeMember(postgres.database, membership, { state: 'removed' })
  await assert.rejects(store(account.id), { name: 'ChangeRefused' })
  await addMember(postgres.database, membership, 'member')
  await store(account.id)
  await archiveProject(postgres.database, project)
  await assert.rejects(store(account.id), { name: 'ChangeRefused' })
  await assert.rejects(store(null), { name: 'ChangeRefused', message: 'the project is archived' })
})

test('a playground credential is found only for its own organization and account', async () => {
  const { account, organization, project } = await populate()
  const other = await populate()
  const claims = {
    id: uuidV7(),
    organizationId: organization.id,
    projectId: project.id,
    accountId: account.id,
    expiresAt: new Date(5000),
  }
  const wrong = { ...claims, organizationId: other.organization.id }
  const unknownAccount = { ...claims, accountId: uuidV7() }
  const outsider = { ...claims, accountId: other.account.id }
  const asked = [wrong, claims, unknownAccount, outsider]
  const [ofWrong, identity, ofUnknown, ofOutsider] = await findForPlayground(postgres.pool, asked)
  assert.deepEqual(identity?.credential, {
    kind: 'playground',
    id: claims.id,
    expiresAt: new Date(5000),
  })
  assert.deepEqual(identity.membership, { role: 'owner', state: 'active' })
  assert.deepEqual([ofWrong, ofUnknown], [undefined, undefined])
  assert.deepEqual([ofOutsider?.account?.id, ofOutsider?.membership], [other.account.id, null])
})

test('keys that are read together are each found under their own hash', async () => {
  const callers = [await populate(), await populate()]
  const unknown = hashApiKey(createApiKey('headrace'))
  const [first, second] = callers.map(({ key }) => hashApiKey(key))
  assert.ok(first !== undefined && second !== undefined)
  const found = await findByKeyHashes(postgres.pool, [second, unknown, first])
  assert.deepEqual(
    found.map((each) => each?.credential.id),
    [callers[1]?.stored.id, undefined, callers[0]?.stored.id],
  )
})

test('the text of a key is nowhere in the database', async () => {
  const { key } = await populate()
  const { rows: tables } = await postgres.pool.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  )
  const random = key.slice('headrace_sk_'.length, -6)
  for (const { name } of tables) {
    const { rowCount } = await postgres.pool.query(
      // The hexadecimal form finds the text in bytea columns.
      `select 1 from ${name} as t where t::text like $1 or t::text like $2`,
      [`%${random.slice(0, 12)}%`, `%${Buffer.from(random.slice(0, 12)).toString('hex')}%`],
    )
    assert.equal(rowCount, 0, name)
  }
  assert.ok(tables.length >= 6)
})

test('the lookup of a key is planned once for all keys', async () => {
  const { key } = await populate()
  const hash = hashApiKey(key)
  await using single = openPostgres(database.url, { connectionsMax: 1 })
  // PostgreSQL plans the first five for their values, and then compares.
  for (let read = 0; read < 8; read += 1) await findByKeyHash(single.pool, hash)
  const { rows } = await single.pool.query<{ plans: number }>(
    "select generic_plans::int as plans from pg_prepared_statements where name like 'identity-%'",
  )
  assert.deepEqual(rows, [{ plans: 3 }])
})

test('the lookup of a key uses indexes only', async () => {
  const { rows } = await postgres.pool.query<{ statement: string }>(
    "select statement from pg_prepared_statements where name = 'identity-by-key-hash' limit 1",
  )
  const statement = rows[0]?.statement.replace('$1', `'\\x00'::bytea`)
  const client = await postgres.pool.connect()
  try {
    await client.query('set enable_seqscan = off')
    const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement}`)
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    assert.match(text, /api_keys_hash_key/)
    assert.doesNotMatch(text, /Seq Scan/)
  } finally {
    client.release(true)
  }
})
