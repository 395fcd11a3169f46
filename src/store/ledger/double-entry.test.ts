import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { createApiKey, hashApiKey } from '../../tenancy/api-key.ts'
import { storeApiKey } from '../tenants/api-keys.ts'
import { balanceOf, changeFunds, listFundsChanges, type FundsChange } from './double-entry.ts'
import { checkLedger } from '../../../test/harness/figures/check-ledger.ts'
import { ChangeRefused } from '../tenants/changes.ts'
import { findByKeyHash } from '../tenants/identities.ts'
import { postUsage } from './usage-records.ts'
import { createOrganization, findOrganization } from '../tenants/organizations.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import { changeProject, createProject, findProject } from '../tenants/projects.ts'
import { partitionOf } from '../valkey/keys.ts'

let serial = 0

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url)

endWithFile(postgres, testDatabase)

async function newOrganization() {
  serial += 1
  const slug = `organization-${serial}`
  const own = { slug, name: slug, plan: 'free', retention: 'zero', ownerAccountId: null } as const
  const organization = await createOrganization(postgres.database, own)
  const project = await findProject(postgres.database, organization.id, 'default')
  return { organizationId: organization.id, project }
}

function fundsChange(
  organizationId: string,
  amount: number,
  more: Partial<FundsChange> = {},
): FundsChange {
  const by = { reference: randomUUID(), madeBy: 'tester', reason: 'a test' }
  return { organizationId, amount, kind: amount > 0 ? 'grant' : 'adjustment', ...by, ...more }
}

function used(organizationId: string, projectId: string, cost: number, atMs = Date.now()) {
  const record = usageRecord({
    id: uuidV7(atMs),
    organizationId,
    projectId,
    credentialId: projectId,
    model: 'a/b',
    engine: 'one',
    price: { input: 1, cachedInput: 1, output: 1 },
    outcome: 'completed',
    basis: 'engine',
    promptTokens: 1,
    cachedTokens: 0,
    completionTokens: 1,
    reasoningTokens: 0,
    cost,
    queuedMs: 0,
    firstTokenMs: 1,
    durationMs: 2,
    settledAtMs: atMs,
  })
  return { record, partition: partitionOf(organizationId) }
}

test('a repeated grant is made once, and raises the version twice', async () => {
  const { database } = postgres
  const { organizationId } = await newOrganization()
  const grant = fundsChange(organizationId, 12_500_000)
  const first = await changeFunds(database, grant)
  const second = await changeFunds(database, grant)
  assert.deepEqual([first.value.repeated, second.value.repeated], [false, true])
  assert.equal(second.value.transfer.id, first.value.transfer.id)
  assert.equal(second.value.balance, 12_500_000)
  assert.deepEqual(second.raised, [{ organizationId, version: 3 }])
  assert.equal((await findOrganization(database, organizationId)).version, 3)
  assert.equal((await listFundsChanges(database, organizationId, { limit: 10 })).length, 1)
})

test('a reference of a different transfer is refused, and nothing changes', async () => {
  const { database } = postgres
  const { organizationId } = await newOrganization()
  const grant = fundsChange(organizationId, 5)
  await changeFunds(database, grant)
  const others = [
    { ...grant, amount: 6 },
    { ...grant, kind: 'adjustment' as const },
    { ...grant, organizationId: (await newOrganization()).organizationId },
  ]
  for (const other of others) await assert.rejects(changeFunds(database, other), ChangeRefused)
  assert.equal((await findOrganization(database, organizationId)).version, 2)
  assert.deepEqual(await balanceOf(database, organizationId), {
    granted: 5,
    spent: 0,
    balance: 5,
    receivable: 0,
  })
})

test('an adjustment may be negative, and the history says who made it and why', async () => {
  const { database } = postgres
  const { organizationId } = await newOrganization()
  await changeFunds(database, fundsChange(organizationId, 10))
  await changeFunds(database, fundsChange(organizationId, 3, { kind: 'adjustment' }))
  const { value } = await changeFunds(
    database,
    fundsChange(organizationId, -20, { reason: 'charge-back' }),
  )
  assert.equal(value.balance, -7)
  const rows = await listFundsChanges(database, organizationId, { limit: 2 })
  assert.deepEqual(
    rows.map((row) => [row.kind, row.amount, row.made_by, row.reason, row.debit_account]),
    [
      ['adjustment', 20, 'tester', 'charge-back', `funds:${organizationId}`],
      ['adjustment', 3, 'tester', 'a test', 'adjustments'],
    ],
  )
  const page = { limit: 2, after: rows.at(-1)?.id ?? '' }
  const [oldest] = await listFundsChanges(database, organizationId, page)
  assert.deepEqual([oldest?.kind, oldest?.amount], ['grant', 10])
})

test('a balance beyond the maximum is refused', async () => {
  const { organizationId } = await newOrganization()
  await changeFunds(postgres.database, fundsChange(organizationId, 999_999_999_999_999))
  await assert.rejects(
    changeFunds(postgres.database, fundsChange(organizationId, 2)),
    ChangeRefused,
  )
})

test('eight concurrent writers do not deadlock, and the ledger always sums to zero', async () => {
  const { database, pool } = postgres
  const organizations = await Promise.all([newOrganization(), newOrganization(), newOrganization()])
  const rounds = 12
  const writing = new AbortController()
  const watched = (async () => {
    const sums = new Set<number>()
    while (!writing.signal.aborted) sums.add((await checkLedger(database)).sum)
    return [...sums]
  })()
  const writer = async (_: unknown, at: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const { organizationId, project } = organizations[(at + round) % 3] ?? assert.fail()
      if (at % 4 === 0) await changeFunds(database, fundsChange(organizationId, 100))
      if (at % 4 === 1) await changeFunds(database, fundsChange(organizationId, -7))
      if (at % 4 === 2)
        await changeFunds(database, fundsChange(organizationId, 9, { kind: 'adjustment' }))
      // A partition that another writer is posting is skipped, so this retries as a worker would.
      if (at % 4 === 3) await postAll(pool, used(organizationId, project.id, 11))
    }
  }
  await Promise.all(Array.from({ length: 8 }, writer)).finally(() => writing.abort())
  assert.deepEqual(await watched, [0])
  assert.deepEqual((await checkLedger(database)).wrong, [])
  const balances = await Promise.all(
    organizations.map(({ organizationId }) => balanceOf(database, organizationId)),
  )
  const total = balances.reduce((sum, { balance }) => sum + balance, 0)
  assert.equal(total, 2 * rounds * (100 - 7 + 9 - 11))
})

async function postAll(pool: Postgres['pool'], entry: ReturnType<typeof used>): Promise<void> {
  while ((await postUsage(pool, [entry])).posted === 0);
}

test('an identity has the amounts granted and spent, and a limited project’s month', async () => {
  const { database, pool } = postgres
  const { organizationId, project } = await newOrganization()
  const other = await createProject(database, organizationId, 'other')
  const key = createApiKey('headrace')
  const by = { createdByAccountId: null, name: 'test', expiresAt: null }
  await storeApiKey(database, key, { projectId: project.id, ...by })
  await changeFunds(database, fundsChange(organizationId, 1000))
  const now = new Date()
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  await postUsage(pool, [
    used(organizationId, project.id, 30, monthMs),
    used(organizationId, project.id, 50, monthMs - 1),
    used(organizationId, other.id, 7, monthMs),
  ])
  const readFunds = async () => {
    const found = await findByKeyHash(pool, hashApiKey(key))
    const { granted, spent, version } = found?.organization ?? assert.fail()
    return { granted, spent, version, project: found?.project }
  }
  const unlimited = { id: project.id, archived: false, spendingLimit: null, spent: 0 }
  assert.deepEqual(await readFunds(), { granted: 1000, spent: 87, version: 2, project: unlimited })
  const { raised } = await changeProject(database, project, { spendingLimit: 40 })
  assert.deepEqual(raised, [{ organizationId, version: 3 }])
  const limited = { ...unlimited, spendingLimit: 40, spent: 30 }
  assert.deepEqual(await readFunds(), { granted: 1000, spent: 87, version: 3, project: limited })
})

test('nobody can type a reference that only the service makes', async () => {
  const { organizationId } = await newOrganization()
  for (const reference of ['usage:1', 'payment:1', 'tax:1'])
    await assert.rejects(
      changeFunds(postgres.database, fundsChange(organizationId, 5, { reference })),
      (error) => error instanceof ChangeRefused && /must not begin with/.test(error.message),
    )
})
