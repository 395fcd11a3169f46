import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { rowsRead } from '../../../test/harness/rows-read.ts'
import { logged, usageRecord } from '../../../test/harness/usage-records.ts'
import { DAY_MS } from '../../lib/time.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { readRecentSpeed } from './recent-speed.ts'
import { postUsage } from './usage-records.ts'

const NOW_MS = Date.now()
const ROWS_MAX = 1_000

let database: TestDatabase
let postgres: Postgres

before(async () => {
  database = await createDatabase()
  postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
})
after(async () => {
  await postgres[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function post(records: readonly Partial<UsageRecord>[]): Promise<string> {
  const organizationId = randomUUID()
  await postUsage(
    postgres.pool,
    records.map((record) =>
      logged(usageRecord({ organizationId, settledAtMs: NOW_MS - 1_000, ...record })),
    ),
  )
  return organizationId
}

test('medians are those of completed requests of the last 24 hours, for each model', async () => {
  const organizationId = await post([
    { firstPieceMs: 100, durationMs: 1_100, completionTokens: 50 },
    { firstPieceMs: 300, durationMs: 1_300, completionTokens: 70 },
    { firstPieceMs: 200, durationMs: 1_200, completionTokens: 60 },
    { firstPieceMs: 9_000, outcome: 'failed' },
    { firstPieceMs: 8_000, settledAtMs: NOW_MS - DAY_MS - 1_000 },
    { model: 'example/small', firstPieceMs: 5, durationMs: 5, completionTokens: 1 },
  ])
  assert.deepEqual(await readRecentSpeed(postgres.database, organizationId, NOW_MS), [
    { model: 'example/large', firstPieceMs: 200, tokensPerSecond: 60 },
    { model: 'example/small', firstPieceMs: 5, tokensPerSecond: null },
  ])
})

test('it reads a bounded number of requests, whatever the organization sent', async () => {
  const organizationId = await post(Array.from({ length: 2_500 }, () => ({})))
  await postgres.pool.query('analyze')
  const read = await rowsRead(postgres, /^usage_records/, (store) =>
    readRecentSpeed(store, organizationId, NOW_MS),
  )
  assert.ok(read <= ROWS_MAX, `${read} rows`)
})
