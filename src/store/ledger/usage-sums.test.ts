import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { findWrongSums, sumRecords, sumRollUps } from '../../../test/harness/seed/posted-usage.ts'
import { logged, usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { postUsage } from './usage-records.ts'
import { openPostgres, type Postgres } from '../postgres/postgres.ts'

const REQUESTS = 12
const ORGANIZATIONS = Array.from({ length: 3 }, () => randomUUID())
const START_MS = Date.UTC(2026, 4, 31, 22)

const settlement = fc.record({
  request: fc.integer({ min: 0, max: REQUESTS - 1 }),
  lost: fc.boolean(),
  completionTokens: fc.integer({ min: 0, max: 1_000 }),
})

type Posted = {
  readonly request: number
  readonly lost: boolean
  readonly completionTokens: number
}

/** The expected rows after a batch: the process's own record, else the furthest lost one. */
function addExpected(expected: Map<number, Posted>, batch: readonly Posted[]): void {
  // In one batch the process's own record comes before a lost one.
  for (const each of batch.toSorted((one, other) => Number(one.lost) - Number(other.lost))) {
    const known = expected.get(each.request)
    const further = known !== undefined && each.completionTokens > known.completionTokens
    if (known === undefined || (known.lost && (!each.lost || further)))
      expected.set(each.request, each)
  }
}

async function empty({ pool }: Postgres): Promise<void> {
  await pool.query('truncate usage_records, usage_hourly, usage_daily, usage_transfers')
  await pool.query('update ledger_accounts set debits = 0, credits = 0')
}

async function assertSums({ pool }: Postgres, expected: ReadonlyMap<number, Posted>) {
  const sums = await sumRecords(pool)
  const tokens = [...expected.values()].map(({ completionTokens }) => completionTokens)
  assert.equal(sums.requests, expected.size)
  assert.equal(
    sums.completion,
    tokens.reduce((sum, count) => sum + count, 0),
  )
  assert.deepEqual(await sumRollUps(pool, 'usage_hourly'), sums)
  assert.deepEqual(await sumRollUps(pool, 'usage_daily'), sums)
  assert.deepEqual(await findWrongSums(pool), [])
}

test('all sums agree, whatever is posted, in any order and any number of times', async () => {
  await using database = await createDatabase()
  await using postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
  const batches = fc.array(fc.array(settlement, { maxLength: REQUESTS }), { maxLength: 6 })
  const property = fc.asyncProperty(batches, async (generated) => {
    await empty(postgres)
    const ids = Array.from({ length: REQUESTS }, (_, n) => uuidV7(START_MS + n * 20 * 60_000))
    const expected = new Map<number, Posted>()
    for (const batch of generated) {
      addExpected(expected, batch)
      const records = batch.map(({ request, lost, completionTokens }) =>
        usageRecord({
          id: ids[request]!,
          organizationId: ORGANIZATIONS[request % 3]!,
          projectId: ORGANIZATIONS[request % 2]!,
          credentialId: ORGANIZATIONS[request % 3]!,
          outcome: lost ? 'lost' : 'completed',
          basis: lost ? 'checkpoint' : 'engine',
          completionTokens,
        }),
      )
      await postUsage(postgres.pool, records.map(logged))
    }
    await assertSums(postgres, expected)
  })
  await fc.assert(property, { numRuns: 60 })
})
