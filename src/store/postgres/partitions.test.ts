import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { sumRecords } from '../../../test/harness/seed/posted-usage.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { postUsage } from '../ledger/usage-records.ts'
import { addDays, createPartitions, dropPartitions, listPartitions } from './partitions.ts'
import { openPostgres } from './postgres.ts'

const TABLE = 'usage_records'

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })

endWithFile(postgres, database)

async function postOn(...days: string[]): Promise<void> {
  const noon = (day: string) => Date.parse(`${day}T12:00:00Z`)
  const records = days.map((day) => usageRecord({ settledAtMs: noon(day) }))
  await postUsage(postgres.pool, records.map(logged))
}

/** The number of rows in each partition. */
async function rowsPerPartition(): Promise<Record<string, number>> {
  const { rows } = await postgres.pool.query<{ partition: string; count: number }>(
    `select tableoid::regclass::text as partition, count(*)::int as count
     from usage_records group by 1`,
  )
  return Object.fromEntries(rows.map(({ partition, count }) => [partition, count]))
}

test('adding days crosses the ends of months and years', () => {
  assert.equal(addDays('2026-12-31', 1), '2027-01-01')
  assert.equal(addDays('2028-03-01', -1), '2028-02-29')
})

test('partitions are created once, and records go into the one of their day', async () => {
  const { pool } = postgres
  const days = ['2026-03-30', '2026-03-31', '2026-04-01']
  assert.deepEqual(await createPartitions(pool, TABLE, days[0]!, days[2]!), days)
  assert.deepEqual(await createPartitions(pool, TABLE, days[0]!, days[2]!), [])
  assert.deepEqual(await listPartitions(pool, TABLE), days)
  await postOn('2026-03-31', '2026-04-01', '2026-04-01')
  assert.deepEqual(await rowsPerPartition(), {
    usage_records_20260331: 1,
    usage_records_20260401: 2,
  })
})

test('rows in the default partition move into their own one, and none is lost', async () => {
  const { pool } = postgres
  await postOn('2026-05-01', '2026-05-02', '2026-05-02', '2026-06-01')
  assert.equal((await rowsPerPartition())['usage_records_default'], 4)
  const sums = await sumRecords(pool)
  const file = `select pg_relation_filenode('usage_records_default') as file`
  const fileBefore = (await pool.query<{ file: number }>(file)).rows
  const created = ['2026-05-01', '2026-05-02', '2026-05-03', '2026-06-01']
  assert.deepEqual(await createPartitions(pool, TABLE, '2026-05-02', '2026-05-03'), created)
  const { usage_records_default: left, ...own } = await rowsPerPartition()
  assert.equal(left, undefined)
  assert.deepEqual(
    ['20260501', '20260502', '20260601'].map((day) => own[`usage_records_${day}`]),
    [1, 2, 1],
  )
  assert.deepEqual(await sumRecords(pool), sums)
  // The moved rows are gone from the old file as well.
  assert.notDeepEqual((await pool.query(file)).rows, fileBefore)
  await postOn('2026-05-02')
  assert.equal((await rowsPerPartition())['usage_records_20260502'], 3)
})

test('partitions of days before the given one are dropped once', async () => {
  const { pool } = postgres
  assert.equal(await dropPartitions(pool, TABLE, '2026-05-02'), 4)
  assert.equal(await dropPartitions(pool, TABLE, '2026-05-02'), 0)
  assert.deepEqual(await rowsPerPartition(), {
    usage_records_20260502: 3,
    usage_records_20260601: 1,
  })
})

test('a partition that cannot be locked in time is created by the next run', async () => {
  const { pool } = postgres
  const reader = await pool.connect()
  try {
    await reader.query('begin')
    await reader.query('select 1 from usage_records_default')
    await assert.rejects(createPartitions(pool, TABLE, '2027-01-01', '2027-01-01'), {
      code: '55P03',
    })
  } finally {
    reader.release(true)
  }
  assert.deepEqual(await createPartitions(pool, TABLE, '2027-01-01', '2027-01-01'), ['2027-01-01'])
})

test('a row that is written while its partition is made finds it', async () => {
  const { pool } = postgres
  // Holds up the one that makes the partition once it has its first lock.
  const reader = await pool.connect()
  const writer = await pool.connect()
  try {
    await reader.query('begin')
    await reader.query('select 1 from audit_events_default')
    const made = createPartitions(pool, 'audit_events', '2026-03-01', '2026-03-01')
    await waitingForLocks(1)
    const written = writer.query(
      `insert into audit_events (made_at, id, actor_kind, actor_label, action, target_kind,
         target_id, changes)
       values ('2026-03-16', gen_random_uuid(), 'account', 'x', 'key.create', 'key', 'x', '{}')
       returning tableoid::regclass::text as partition`,
    )
    await waitingForLocks(2)
    await reader.query('commit')
    assert.deepEqual(await made, ['2026-03-01'])
    assert.deepEqual((await written).rows, [{ partition: 'audit_events_20260301' }])
  } finally {
    reader.release(true)
    writer.release(true)
  }
})

test('a read that begins while rows move sees each of them', async () => {
  const { pool } = postgres
  await postOn('2026-07-01', '2026-07-01')
  const mover = await pool.connect()
  const reader = await pool.connect()
  try {
    await mover.query('begin')
    await mover.query(`select create_partition('usage_records', '2026-07-01')`)
    const read = reader.query(`select count(*)::int as count from usage_records
      where opened_on = '2026-07-01'`)
    await waitingForLocks(1)
    await mover.query('commit')
    assert.deepEqual((await read).rows, [{ count: 2 }])
  } finally {
    mover.release(true)
    reader.release(true)
  }
})

async function waitingForLocks(count: number): Promise<void> {
  const { pool } = postgres
  for (let waiting = 0; waiting < count;) {
    const { rows } = await pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    waiting = rows[0]!.waiting
  }
}
