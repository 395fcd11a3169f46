import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { rowsRead } from '../../../test/harness/servers/rows-read.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { DAY_MS } from '../../lib/time.ts'
import { openPostgres } from '../postgres/postgres.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { readRecentSpeed } from './recent-speed.ts'
import { postUsage } from './usage-records.ts'

const NOW_MS = Date.now()
const ROWS_MAX = 1_000

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
endWithFile(postgres, database)

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
    { firstTokenMs: 100, durationMs: 1_100, completionTokens: 50 },
    { firstTokenMs: 300, durationMs: 1_300, completionTokens: 70 },
    { firstTokenMs: 200, durationMs: 1_200, completionTokens: 60 },
    { firstTokenMs: 9_000, outcome: 'failed' },
    { firstTokenMs: 8_000, settledAtMs: NOW_MS - DAY_MS - 1_000 },
    { model: 'example/small', firstTokenMs: 5, durationMs: 5, completionTokens: 1 },
  ])
  assert.deepEqual(await readRecentSpeed(postgres.database, organizationId, NOW_MS), [
    { model: 'example/large', firstTokenMs: 200, tokensPerSecond: 60 },
    { model: 'example/small', firstTokenMs: 5, tokensPerSecond: null },
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
