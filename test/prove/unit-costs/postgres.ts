import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { HOUR_MS, DAY_MS } from '../../../src/lib/time.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { postUsage } from '../../../src/store/ledger/usage-records.ts'
import { createPartitions, dayOf } from '../../../src/store/postgres/partitions.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { findByKeyHash } from '../../../src/store/tenants/identities.ts'
import { hashApiKey, type ApiKey } from '../../../src/tenancy/api-key.ts'
import { startPostgres, type PostgresServer } from '../../harness/servers/postgres-server.ts'
import { join, openAccount, openKey, openOrganization } from '../../harness/seed/tenants.ts'
import { logged, usageRecord } from '../../harness/seed/usage-records.ts'

const OUTSTANDING = 8
const KEYS_EACH = 2
/** As many as a worker posts in one transaction. */
const BATCH = 5_000
/** Each has a row of sums in every hour of the day. */
const KEYS_IN_USE = 400
const HOURS = 24
const TIMEOUT_MS = 600_000
const MICROSECONDS = 1_000_000

export type PostgresFigures = {
  readonly organizationBytes: number
  readonly keyBytes: number
  readonly recordBytes: number
  readonly rollUpBytes: number
  readonly postMicros: number
  readonly lookupMicros: number
}

/** What organizations, keys and usage records take of a real server. */
export async function measurePostgres(
  organizations: number,
  records: number,
): Promise<PostgresFigures> {
  await using server = await startPostgres()
  await using postgres = openPostgres(server.url, {
    connectionsMax: OUTSTANDING,
    queryTimeoutMs: TIMEOUT_MS,
  })
  const { pool, database } = postgres
  const projects: string[] = []
  const empty = await sizeOfAll(pool)
  await times(organizations, async () => {
    const { id, projectId } = await openOrganization(database, 'ample')
    await join(database, id, await openAccount(database))
    projects.push(projectId)
  })
  const opened = await sizeOfAll(pool)
  const keys: string[] = []
  await times(organizations * KEYS_EACH, async (number) => {
    keys.push((await openKey(database, projects[number % projects.length]!)).text)
  })
  const keyed = await sizeOfAll(pool)
  return {
    organizationBytes: (opened - empty) / organizations,
    keyBytes: (keyed - opened) / keys.length,
    lookupMicros: await measureLookups(server, pool, keys),
    ...(await measureRecords(server, pool, records)),
  }
}

async function measureLookups(server: PostgresServer, pool: Pool, keys: readonly string[]) {
  const before = server.cpuSeconds()
  await times(keys.length, async (number) => {
    const found = await findByKeyHash(pool, hashApiKey(keys[number]! as ApiKey))
    if (found === undefined) throw new Error('a key is unknown')
  })
  return ((server.cpuSeconds() - before) / keys.length) * MICROSECONDS
}

async function measureRecords(server: PostgresServer, pool: Pool, count: number) {
  const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS
  for (const table of ['usage_records', 'usage_hourly', 'usage_daily'] as const)
    await createPartitions(pool, table, dayOf(dayMs), dayOf(dayMs))
  const callers = Array.from({ length: KEYS_IN_USE }, () => ({
    organizationId: randomUUID(),
    projectId: randomUUID(),
    credentialId: randomUUID(),
    accountId: randomUUID(),
  }))
  const rollUps = ['usage_hourly', 'usage_daily'] as const
  const [recordsBefore, sumsBefore, rowsBefore] = await readUsage()
  const cpuBefore = server.cpuSeconds()
  for (let made = 0; made < count; made += BATCH) {
    const size = Math.min(BATCH, count - made)
    const entries = Array.from({ length: size }, (_, at) => {
      const number = made + at
      const openedMs = dayMs + Math.floor((number / count) * HOURS * HOUR_MS)
      const caller = callers[number % callers.length]!
      return logged(usageRecord({ ...caller, id: uuidV7(openedMs), settledAtMs: openedMs + 9_000 }))
    })
    await postUsage(pool, entries)
  }
  const postMicros = ((server.cpuSeconds() - cpuBefore) / count) * MICROSECONDS
  const [recordsAfter, sumsAfter, rowsAfter] = await readUsage()
  return {
    recordBytes: (recordsAfter - recordsBefore) / count,
    rollUpBytes: (sumsAfter - sumsBefore) / (rowsAfter - rowsBefore),
    postMicros,
  }

  async function readUsage(): Promise<[records: number, sums: number, rows: number]> {
    const sizes = await Promise.all([...rollUps, 'usage_totals'].map((each) => sizeOf(pool, each)))
    const sums = sizes.reduce((sum, size) => sum + size, 0)
    const rows = await Promise.all(rollUps.map((table) => countRows(pool, table)))
    return [await sizeOf(pool, 'usage_records'), sums, rows[0]! + rows[1]!]
  }
}

async function sizeOfAll(pool: Pool): Promise<number> {
  await pool.query('vacuum')
  const { rows } = await pool.query<{ size: number }>(
    `select sum(pg_total_relation_size(oid))::bigint as size from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return rows[0]!.size
}

/** Of a table with its partitions and their indexes. */
async function sizeOf(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ size: number }>(
    `select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size($1::regclass))
       ::bigint as size from pg_partition_tree($1::regclass)`,
    [table],
  )
  return rows[0]!.size
}

async function countRows(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)
  return rows[0]!.rows
}

async function times(count: number, act: (number: number) => Promise<void>): Promise<void> {
  let begun = 0
  const work = async () => {
    while (begun < count) await act(begun++)
  }
  await Promise.all(Array.from({ length: OUTSTANDING }, work))
}
