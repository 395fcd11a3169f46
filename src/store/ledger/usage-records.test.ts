import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { findWrongSums, sumRecords, sumRollUps } from '../../../test/harness/seed/posted-usage.ts'
import { untilSomeoneWaits } from '../../../test/harness/servers/lock-wait.ts'
import { INSTANCE, logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { postUsage, type PostResult } from './usage-records.ts'
import { createOrganization } from '../tenants/organizations.ts'
import { isInvalidValue, openPostgres } from '../postgres/postgres.ts'
import { partitionOf } from '../valkey/keys.ts'

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })

endWithFile(postgres, database)

afterEach(async () => {
  await postgres.pool.query('truncate usage_records, usage_hourly, usage_daily, usage_transfers')
  await postgres.pool.query(`delete from ledger_accounts where id like 'usage:%'`)
  await postgres.pool.query('update ledger_accounts set debits = 0, credits = 0')
})

function post(...records: UsageRecord[]): Promise<PostResult> {
  return postUsage(postgres.pool, records.map(logged))
}

const counts = ({ posted, replaced, duplicates }: PostResult) => [
  posted,
  replaced.length,
  duplicates,
]

async function assertConsistent(): Promise<void> {
  const { pool } = postgres
  const sums = await sumRecords(pool)
  assert.deepEqual(await sumRollUps(pool, 'usage_hourly'), sums)
  assert.deepEqual(await sumRollUps(pool, 'usage_daily'), sums)
  assert.deepEqual(await findWrongSums(pool), [])
}

test('every member of a record is stored in its row', async () => {
  const record = usageRecord({ model: 'null', engine: null, price: null, queuedMs: null })
  await post(record)
  const { rows } = await postgres.pool.query<Record<string, unknown>>(
    `select *, opened_on::text as opened_on from usage_records`,
  )
  const { posted_at: postedAt, ...row } = rows[0]!
  assert.ok(postedAt instanceof Date)
  assert.deepEqual(row, {
    opened_on: new Date(record.settledAtMs).toISOString().slice(0, 10),
    id: record.id,
    organization_id: record.organizationId,
    project_id: record.projectId,
    credential_id: record.credentialId,
    log_partition: partitionOf(record.organizationId),
    model: 'null',
    engine: null,
    outcome: 'completed',
    basis: 'engine',
    prompt_tokens: 100,
    cached_tokens: 40,
    completion_tokens: 20,
    reasoning_tokens: 5,
    input_price: null,
    cached_input_price: null,
    output_price: null,
    cost: 0,
    queued_ms: null,
    first_token_ms: 20,
    duration_ms: 300,
    settled_at: new Date(record.settledAtMs),
    account_id: record.accountId,
    credential_kind: 'api_key',
    retention: 'zero',
    reserved: 1_000,
    attempts: 1,
    instance: INSTANCE,
  })
})

test('a batch that is posted twice counts once', async () => {
  const records = [usageRecord(), usageRecord()]
  assert.deepEqual(counts(await post(...records)), [2, 0, 0])
  const sums = await sumRecords(postgres.pool)
  assert.deepEqual(counts(await post(...records, usageRecord({ cost: 0 }))), [1, 0, 2])
  assert.equal((await sumRecords(postgres.pool)).cost, sums.cost)
  await assertConsistent()
})

test('a record that is twice in a batch becomes one row', async () => {
  const record = usageRecord()
  assert.deepEqual(counts(await post(record, record)), [1, 0, 1])
  await assertConsistent()
})

test('a real record replaces a lost one, and the difference is posted', async () => {
  const real = usageRecord({ completionTokens: 50 })
  for (const completionTokens of [10, 90]) {
    const { id, organizationId } = { ...usageRecord(), organizationId: randomUUID() }
    const mine = usageRecord({ ...real, id, organizationId })
    const lost = usageRecord({ ...mine, outcome: 'lost', basis: 'checkpoint', completionTokens })
    assert.deepEqual(counts(await post(lost)), [1, 0, 0])
    assert.deepEqual(counts(await post(mine)), [0, 1, 0])
    await assertConsistent()
    assert.deepEqual(counts(await post(lost)), [0, 0, 1])
    assert.deepEqual(counts(await post(mine)), [0, 0, 1])
    const { rows } = await postgres.pool.query(
      'select outcome, completion_tokens from usage_records where id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ outcome: 'completed', completion_tokens: 50 }])
  }
  await assertConsistent()
})

test('of a lost and a real record in one batch only the real one counts', async () => {
  const real = usageRecord()
  const lost = usageRecord({ ...real, outcome: 'lost', basis: 'none', completionTokens: 0 })
  assert.deepEqual(counts(await post(lost, real)), [1, 0, 1])
  const { rows } = await postgres.pool.query('select outcome from usage_records')
  assert.deepEqual(rows, [{ outcome: 'completed' }])
  await assertConsistent()
})

test('the accounts of existing organizations refer to them', async () => {
  const settings = { name: 'Acme', plan: 'free', retention: 'zero', ownerAccountId: null } as const
  const known = await createOrganization(postgres.database, { slug: 'acme', ...settings })
  const unknown = usageRecord()
  await post(usageRecord({ organizationId: known.id }), unknown)
  const { rows } = await postgres.pool.query(
    `select id, organization_id from ledger_accounts where id like 'usage:%'`,
  )
  const expected = [
    { id: `usage:${known.id}`, organization_id: known.id },
    { id: `usage:${unknown.organizationId}`, organization_id: null },
  ]
  assert.deepEqual(new Set(rows), new Set(expected))
})

test('costs beyond the safe integers are summed exactly', async () => {
  const cost = Number.MAX_SAFE_INTEGER
  const { organizationId, projectId, credentialId } = usageRecord()
  const ids = { organizationId, projectId, credentialId }
  await post(...Array.from({ length: 3 }, () => usageRecord({ ...ids, cost })))
  const { rows } = await postgres.pool.query(
    `select debits::text from ledger_accounts where id = 'usage:' || $1
     union all select cost::text from usage_hourly`,
    [organizationId],
  )
  const exactly = `${3n * BigInt(cost)}`
  assert.deepEqual(rows, [{ debits: exactly }, { debits: exactly }])
})

test('a partition that another worker is posting is skipped', async () => {
  const mine = usageRecord()
  let other = usageRecord()
  while (logged(other).partition === logged(mine).partition) other = usageRecord()
  const { partition } = logged(other)
  const holder = await postgres.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select pg_advisory_xact_lock(1213415253, $1)', [partition])
    const posting = await post(mine, other)
    assert.deepEqual(counts(posting), [1, 0, 0])
    assert.deepEqual([...posting.partitions], [logged(mine).partition])
  } finally {
    holder.release(true)
  }
  await assertConsistent()
})

test('a failed batch writes nothing', async () => {
  const records = [usageRecord(), usageRecord({ promptTokens: 2 ** 31 })]
  await assert.rejects(post(...records), { code: '22003' })
  assert.equal((await sumRecords(postgres.pool)).requests, 0)
  await assertConsistent()
})

test('a batch that races with the creation of its partition succeeds on retry', async () => {
  const record = usageRecord({ settledAtMs: Date.UTC(2026, 0, 15, 12) })
  const maker = await postgres.pool.connect()
  let posting: Promise<unknown>
  try {
    await maker.query('begin; lock table usage_records_default in access exclusive mode')
    posting = post(record).catch((error: unknown) => error)
    await untilSomeoneWaits(postgres)
    await maker.query(`create table made (like usage_records including all);
      alter table usage_records attach partition made for values from ('2026-01-15')
      to ('2026-01-16'); commit`)
  } finally {
    maker.release()
  }
  const error = await posting
  assert.equal((error as { code?: string }).code, '23514')
  assert.equal(isInvalidValue(error, 'usage_records'), false)
  assert.deepEqual(counts(await post(record)), [1, 0, 0])
  await assertConsistent()
})

test('values that the table rejects are distinguished from errors that may pass', async () => {
  const isRejected = async (changes: object) => {
    const error = await post({ ...usageRecord(), ...changes }).catch((cause: unknown) => cause)
    return isInvalidValue(error, 'usage_records')
  }
  assert.equal(await isRejected({ outcome: 'unheard-of' }), true)
  assert.equal(await isRejected({ promptTokens: -1 }), true)
  assert.equal(await isRejected({ promptTokens: 2 ** 31 }), true)
  await postgres.pool.query('alter table ledger_accounts rename to gone')
  assert.equal(await isRejected({}), false)
  await postgres.pool.query('alter table gone rename to ledger_accounts')
})

test('concurrent batches with the same records count everything once', async () => {
  const organizations = Array.from({ length: 20 }, () => randomUUID())
  const records = organizations.flatMap((organizationId) =>
    Array.from({ length: 10 }, () => usageRecord({ organizationId })),
  )
  let left = new Set(records)
  while (left.size > 0) {
    const wanted = [...left]
    const workers = [wanted, wanted.toReversed(), wanted]
    const postings = await Promise.all(workers.map((batch) => post(...batch)))
    const done = new Set(postings.flatMap(({ partitions }) => [...partitions]))
    left = new Set(wanted.filter((record) => !done.has(logged(record).partition)))
  }
  assert.equal((await sumRecords(postgres.pool)).requests, records.length)
  await assertConsistent()
})
