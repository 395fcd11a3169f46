import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { usageRecord } from '../../../test/harness/seed/usage-records.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { postCosts } from './post-costs.ts'
import { openPostgres } from '../postgres/postgres.ts'

test('the usage of an hour is one transfer, however many batches it was posted in', async () => {
  await using database = await createDatabase()
  await using postgres = openPostgres(database.url)
  const client = await postgres.pool.connect()
  const organizationId = randomUUID()
  const used = (cost: number) => usageRecord({ organizationId, cost })
  const nowMs = Date.UTC(2026, 4, 31, 22)
  await postCosts(client, { added: [used(5)], removed: [] }, nowMs)
  await postCosts(client, { added: [used(7)], removed: [] }, nowMs + HOUR_MS - 1)
  await postCosts(client, { added: [used(1)], removed: [used(3)] }, nowMs + HOUR_MS - 1)
  await postCosts(client, { added: [used(11)], removed: [] }, nowMs + HOUR_MS)
  const { rows } = await client.query<{ debit: string; amount: number }>(
    'select debit_account as debit, amount from usage_transfers order by hour, 1 desc',
  )
  client.release()
  const usage = `usage:${organizationId}`
  assert.deepEqual(
    rows.map(({ debit, amount }) => [debit, amount]),
    [
      [usage, 12],
      ['revenue', 2],
      [usage, 11],
    ],
  )
})
