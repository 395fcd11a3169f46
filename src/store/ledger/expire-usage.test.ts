import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { findWrongSums, sumRollUps } from '../../../test/harness/seed/posted-usage.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { createPartitions, dropPartitions, listPartitions } from '../postgres/partitions.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { checkLedger } from '../../../test/harness/figures/check-ledger.ts'
import { postCosts } from './post-costs.ts'
import { postUsage } from './usage-records.ts'
import { sumUsage } from './sum-usage.ts'
import { readRecords } from './usage-reports.ts'

/** After the partition that was the whole table once, which is the first to be dropped. */
const DAYS = ['2031-01-31', '2031-02-01', '2031-02-28', '2031-03-01'] as const
const ORGANIZATION = randomUUID()

const database = await createDatabase()
const postgres = openPostgres(database.url)
const records = DAYS.map((day) =>
  usageRecord({
    id: uuidV7(Date.parse(`${day}T23:30:00Z`)),
    organizationId: ORGANIZATION,
    cost: 10,
  }),
)
await postUsage(postgres.pool, records.map(logged))

endWithFile(postgres, database)

function period(from: string, to: string) {
  return { fromMs: Date.parse(from), toMs: Date.parse(to) }
}

function costOf(from: string, to: string) {
  const total = { by: [], limit: 1 }
  return sumUsage(postgres.database, ORGANIZATION, period(from, to), total).then(
    ([sum]) => sum?.cost ?? 0,
  )
}

test('sums per hour are partitioned by day, sums per day by month', async () => {
  const { pool } = postgres
  await createPartitions(pool, 'usage_hourly', '2031-02-01', '2031-02-02')
  await createPartitions(pool, 'usage_daily', '2031-02-01', '2031-02-02')
  assert.deepEqual(await listPartitions(pool, 'usage_hourly'), [
    '2031-01-31',
    '2031-02-01',
    '2031-02-02',
    '2031-02-28',
    '2031-03-01',
  ])
  assert.deepEqual(await listPartitions(pool, 'usage_daily'), [
    '2031-01-01',
    '2031-02-01',
    '2031-03-01',
  ])
  const { rows } = await pool.query(
    `select tableoid::regclass::text as partition, count(*)::int as count
     from (select tableoid from usage_hourly union all select tableoid from usage_daily) as rolled
     group by 1 order by 1`,
  )
  assert.deepEqual(
    rows.map(({ partition, count }) => `${partition} ${count}`),
    [
      'usage_daily_20310101 1',
      'usage_daily_20310201 2',
      'usage_daily_20310301 1',
      'usage_hourly_20310131 1',
      'usage_hourly_20310201 1',
      'usage_hourly_20310228 1',
      'usage_hourly_20310301 1',
    ],
  )
  assert.deepEqual(await findWrongSums(pool), [])
})

test('a period of which sums were deleted is rejected, never reported in part', async () => {
  const { pool } = postgres
  assert.equal(await costOf('2031-01-31T12:00Z', '2031-03-02'), 40)
  assert.equal(await dropPartitions(pool, 'usage_hourly', '2031-02-28'), 3)
  assert.equal(await dropPartitions(pool, 'usage_hourly', '2031-02-28'), 0)
  assert.equal((await sumRollUps(pool, 'usage_hourly')).requests, 2)
  await assert.rejects(costOf('2031-02-27T23:00Z', '2031-03-02'), {
    name: 'OperatorError',
    message: /kept from 2031-02-28 on/,
  })
  assert.equal(await costOf('2031-02-28T00:00Z', '2031-03-01T23:00Z'), 10)
  // Whole days are still reported from the sums per day.
  assert.equal(await costOf('2031-01-01', '2031-03-02'), 40)
})

test('sums per day are deleted by whole months', async () => {
  assert.equal(await dropPartitions(postgres.pool, 'usage_daily', '2031-02-27'), 1)
  await assert.rejects(costOf('2031-01-31', '2031-03-02'), /kept from 2031-02-01 on/)
  assert.equal(await costOf('2031-02-01', '2031-03-02'), 30)
})

test('an export of a period of which records were deleted is rejected', async () => {
  const { pool } = postgres
  await createPartitions(pool, 'usage_records', '2031-02-01', '2031-02-01')
  assert.equal(await dropPartitions(pool, 'usage_records', '2031-02-01'), 1)
  const read = (from: string) => readRecords(postgres.database, period(from, '2031-03-02')).next()
  await assert.rejects(read('2031-01-31T23:59Z'), /kept from 2031-02-01 on/)
  assert.equal((await read('2031-02-01')).value?.length, 1)
})

test('balances stay the sum of their transfers when old transfers are deleted', async () => {
  const { pool, database: kysely } = postgres
  const client = await pool.connect()
  const cost = (amount: number) => usageRecord({ organizationId: ORGANIZATION, cost: amount })
  for (const month of [0, 1, 1, 2])
    await postCosts(client, { added: [cost(100)], removed: [] }, Date.UTC(2031, month, 20))
  client.release()
  assert.deepEqual(await checkLedger(kysely), { sum: 0, wrong: [] })
  await createPartitions(pool, 'usage_transfers', '2031-03-01', '2031-03-01')
  for (const beforeDay of ['2031-02-03', '2031-03-31', '2031-03-31'])
    await Promise.all([1, 2].map(() => dropPartitions(pool, 'usage_transfers', beforeDay)))
  assert.deepEqual(await listPartitions(pool, 'usage_transfers'), ['2031-03-01'])
  assert.deepEqual(await checkLedger(kysely), { sum: 0, wrong: [] })
  const { rows } = await pool.query('select kind, amount from usage_transfers order by kind')
  assert.deepEqual(rows, [
    { kind: 'opening', amount: 340 },
    { kind: 'usage', amount: 100 },
  ])
})
