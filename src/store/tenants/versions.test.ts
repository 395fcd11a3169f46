import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { untilSomeoneWaits } from '../../../test/harness/servers/lock-wait.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import { changeAccount, createAccount } from './accounts.ts'
import { revokeApiKey, storeApiKey } from './api-keys.ts'
import type { Changed } from './changes.ts'
import { addMember, changeMember } from './memberships.ts'
import {
  changeOrganization,
  createOrganization,
  findOrganization,
  type OrganizationChanges,
} from './organizations.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { archiveProject, createProject } from './projects.ts'

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url, { queryTimeoutMs: 30_000 })

endWithFile(postgres, testDatabase)

let serial = 0

async function newAccount(): Promise<string> {
  serial += 1
  const email = `account-${serial}@example.com`
  return (await createAccount(postgres.database, { email, state: 'active', registered: true })).id
}

async function newOrganization(ownerAccountId: string | null): Promise<string> {
  serial += 1
  const organization = await createOrganization(postgres.database, {
    slug: `organization-${serial}`,
    name: 'Organization',
    plan: 'free',
    retention: 'zero',
    ownerAccountId,
  })
  return organization.id
}

async function versionOf(organizationId: string): Promise<number> {
  return (await findOrganization(postgres.database, organizationId)).version
}

/** The version rises by one, and the change reports exactly that. */
async function assertRaises(
  organizationId: string,
  change: () => Promise<Changed<unknown>>,
): Promise<void> {
  const earlier = await versionOf(organizationId)
  const { raised } = await change()
  assert.deepEqual(raised, [{ organizationId, version: earlier + 1 }])
  assert.equal(await versionOf(organizationId), earlier + 1)
}

test('every change to an organization raises its version', async () => {
  const accountId = await newAccount()
  const organizationId = await newOrganization(null)
  const changes: OrganizationChanges[] = [
    { name: 'Other' },
    { plan: 'paid' },
    { billingState: 'exhausted' },
    { billingState: 'conflict' },
    { retention: 'standard' },
    { retention: 'contributor', terms: { version: '1', acceptedByAccountId: accountId } },
    { limits: { requestsPerMinute: 1 } },
    { limits: { requestsPerDay: 1, tokensPerMinute: null, tokensPerDay: 0 } },
    // Even an empty change, so that a version that did not reach Valkey can be published again.
    {},
  ]
  for (const each of changes) {
    await assertRaises(organizationId, () =>
      changeOrganization(postgres.database, organizationId, each),
    )
  }
})

test('every change to a member, a project or a key raises its organization', async () => {
  const { database } = postgres
  const accountId = await newAccount()
  const organizationId = await newOrganization(null)
  const membership = { organizationId, accountId }
  const unrelated = await newOrganization(null)
  await assertRaises(organizationId, () => addMember(database, membership, 'admin'))
  await assertRaises(organizationId, () => changeMember(database, membership, { role: 'owner' }))
  await assertRaises(organizationId, () => changeMember(database, membership, { state: 'removed' }))
  await assertRaises(organizationId, () => addMember(database, membership, 'member'))
  const project = await createProject(database, organizationId, 'other')
  const key = await storeApiKey(database, createApiKey('headrace'), {
    projectId: project.id,
    createdByAccountId: accountId,
    name: 'key',
    expiresAt: null,
  })
  await assertRaises(organizationId, () => revokeApiKey(database, key))
  await assertRaises(organizationId, () => revokeApiKey(database, key))
  await assertRaises(organizationId, () => archiveProject(database, project))
  await assertRaises(organizationId, () => archiveProject(database, project))
  assert.equal(await versionOf(unrelated), 1)
})

test('archiving again keeps the first time', async () => {
  const { database } = postgres
  const organizationId = await newOrganization(null)
  const project = await createProject(database, organizationId, 'other')
  const first = await archiveProject(database, project)
  const second = await archiveProject(database, project)
  assert.deepEqual(second.value.archived_at, first.value.archived_at)
})

test('a change of an account raises the version of every organization it ever joined', async () => {
  const { database } = postgres
  const accountId = await newAccount()
  const joined = [await newOrganization(accountId), await newOrganization(accountId)]
  const left = await newOrganization(accountId)
  await changeMember(database, { organizationId: left, accountId }, { state: 'removed' })
  const unrelated = await newOrganization(null)
  const { raised } = await changeAccount(database, accountId, { state: 'restricted' })
  assert.deepEqual(
    new Map(raised.map((each) => [each.organizationId, each.version])),
    new Map([
      [joined[0], 2],
      [joined[1], 2],
      [left, 3],
    ]),
  )
  assert.equal(await versionOf(unrelated), 1)
})

test('a refused change raises no version', async () => {
  const { database } = postgres
  const accountId = await newAccount()
  const organizationId = await newOrganization(accountId)
  const membership = { organizationId, accountId }
  await assert.rejects(addMember(database, membership, 'member'), { name: 'ChangeRefused' })
  const outsider = { organizationId, accountId: await newAccount() }
  await assert.rejects(changeMember(database, outsider, { state: 'removed' }), {
    name: 'ChangeRefused',
  })
  await assert.rejects(changeOrganization(database, organizationId, { retention: 'contributor' }), {
    name: 'ChangeRefused',
    message: /requires the version of the terms/,
  })
  assert.equal(await versionOf(organizationId), 1)
})

test('leaving contributor retention ends the consent', async () => {
  const { database } = postgres
  const accountId = await newAccount()
  const organizationId = await newOrganization(accountId)
  await changeOrganization(database, organizationId, {
    retention: 'contributor',
    terms: { version: '1', acceptedByAccountId: accountId },
  })
  const { value } = await changeOrganization(database, organizationId, { retention: 'zero' })
  assert.equal(value.contributor_terms_version, null)
  await assert.rejects(changeOrganization(database, organizationId, { retention: 'contributor' }), {
    name: 'ChangeRefused',
  })
})

test('concurrent changes each raise the version once, without a deadlock', async () => {
  const { database } = postgres
  const accounts = await Promise.all(Array.from({ length: 4 }, newAccount))
  const organizations = await Promise.all(Array.from({ length: 6 }, () => newOrganization(null)))
  // Joined in opposite orders, so that locking in the order of joining would deadlock.
  for (const [at, accountId] of accounts.entries()) {
    const order = at % 2 === 0 ? organizations : organizations.toReversed()
    for (const organizationId of order) {
      await addMember(database, { organizationId, accountId }, 'member')
    }
  }
  const earlier = await Promise.all(organizations.map(versionOf))
  const rounds = 5
  const seen = await Promise.all(
    Array.from({ length: rounds }, async () => [
      ...(await Promise.all(
        accounts.map((id) => changeAccount(database, id, { state: 'active' })),
      )),
      ...(await Promise.all(
        organizations.map((id) => changeOrganization(database, id, { name: 'Name' })),
      )),
    ]),
  )
  const raised = seen.flat().flatMap((change) => change.raised)
  for (const [at, organizationId] of organizations.entries()) {
    const versions = raised
      .filter((each) => each.organizationId === organizationId)
      .map((each) => each.version)
    const expected = rounds * (accounts.length + 1)
    assert.equal(new Set(versions).size, expected, 'every change got its own version')
    assert.equal(await versionOf(organizationId), (earlier[at] ?? 0) + expected)
  }
})

test('joining waits for a running change of the account, and locks no organization', async () => {
  const accountId = await newAccount()
  const organizationId = await newOrganization(null)
  const client = await postgres.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from accounts where id = $1 for update', [accountId])
    const joining = addMember(postgres.database, { organizationId, accountId }, 'member')
    await untilSomeoneWaits(postgres)
    const free = 'select 1 from organizations where id = $1 for update nowait'
    await postgres.pool.query(free, [organizationId])
    await client.query('commit')
    assert.deepEqual((await joining).raised, [{ organizationId, version: 2 }])
  } finally {
    client.release(true)
  }
})
