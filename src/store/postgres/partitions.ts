import type { Pool, PoolClient } from 'pg'
import { DAY_MS } from '../../lib/time.ts'
import { inTransaction } from './in-transaction.ts'
import { isNotMigrated } from './postgres.ts'

type Partitioning = {
  readonly column: string
  readonly type: 'date' | 'timestamptz'
  readonly unit: 'day' | 'month'
}

/** The tables that are partitioned by time. */
const TABLES = {
  usage_records: { column: 'opened_on', type: 'date', unit: 'day' },
  retained_standard: { column: 'kept_on', type: 'date', unit: 'day' },
  retained_contributor: { column: 'kept_on', type: 'date', unit: 'day' },
  usage_hourly: { column: 'hour', type: 'timestamptz', unit: 'day' },
  usage_daily: { column: 'day', type: 'date', unit: 'month' },
  usage_transfers: { column: 'hour', type: 'timestamptz', unit: 'month' },
  audit_events: { column: 'made_at', type: 'timestamptz', unit: 'month' },
} as const satisfies Record<string, Partitioning>

export type Partitioned = keyof typeof TABLES

/** Later statements queue behind one that waits for a lock. The job retries. */
const LOCK_TIMEOUT = `set local lock_timeout = '1s'`

/** Partitions that one run makes for rows of the default partition; the next run makes more. */
const STRAYS_MAX = 64

const DELETE_BATCH_ROWS = 10_000

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The UTC day as YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
}

/** The first day of the partition that this day belongs to; partitions are named by it. */
export function partitionStart(table: Partitioned, day: string): string {
  return TABLES[table].unit === 'day' ? day : `${day.slice(0, 8)}01`
}

function partitionEnd(table: Partitioned, start: string): string {
  // No month has more than 31 days, and no two have fewer than 32.
  return partitionStart(table, addDays(start, TABLES[table].unit === 'day' ? 1 : 31))
}

/**
 * Creates the partitions of these days, and of all rows in the default partition. The transaction
 * that creates a partition also moves its rows: readers always see them in exactly one of the two,
 * and writes to the default partition wait. Returns the first days of the partitions it created.
 */
export async function createPartitions(
  pool: Pool,
  table: Partitioned,
  firstDay: string,
  lastDay: string,
): Promise<string[]> {
  const wanted = new Set(await strays(pool, table))
  for (let day = partitionStart(table, firstDay); day <= lastDay; day = partitionEnd(table, day))
    wanted.add(day)
  const { starts, until } = (await readPartitions(pool, [table]))(table)
  const missing = [...wanted].filter((day) => day >= until && !starts.includes(day)).toSorted()
  for (const day of missing) await createPartition(pool, table, day)
  return missing
}

/** The first days of the partitions, in order. */
export async function listPartitions(pool: Pool, table: Partitioned): Promise<string[]> {
  return (await readPartitions(pool, [table]))(table).starts
}

/**
 * The tables that have no partition for one of these days, and those with rows that belong to none,
 * because no worker ran when it was due.
 */
export async function findMissingPartitions(
  database: Pick<Pool, 'query'>,
  firstDay: string,
  lastDay: string,
): Promise<{ missing: Partitioned[]; strays: Partitioned[] }> {
  const tables = Object.keys(TABLES) as Partitioned[]
  const partitions = await readPartitions(database, tables)
  const lacks = (table: Partitioned, day: string) => {
    const { starts, until } = partitions(table)
    return day >= until && !starts.includes(partitionStart(table, day))
  }
  const days: string[] = []
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) days.push(day)
  const asked = tables.map((table) => `exists (select from ${table}_default) as ${table}`)
  const { rows } = await database.query<Record<string, boolean>>(`select ${asked.join()}`)
  return {
    missing: tables.filter((table) => days.some((day) => lacks(table, day))),
    strays: tables.filter((table) => rows[0]?.[table] === true),
  }
}

type Partitions = {
  readonly starts: string[]
  /** The end of the partition that was the whole table before it was partitioned, or ''. */
  readonly until: string
}

/** Reads the partitions of several tables at once. */
async function readPartitions(
  database: Pick<Pool, 'query'>,
  tables: readonly Partitioned[],
): Promise<(table: Partitioned) => Partitions> {
  const { rows } = await database.query<{ name: string }>(
    `select partition.relname as name from pg_inherits
     join pg_class partition on partition.oid = inhrelid
     where inhparent = any($1::text[]::regclass[])`,
    [tables],
  )
  const days = (prefix: string) => {
    const form = new RegExp(`^${prefix}_(\\d{4})(\\d{2})(\\d{2})$`)
    return rows.flatMap(({ name }) => {
      const [, year, month, day] = form.exec(name) ?? []
      return day === undefined ? [] : [`${year}-${month}-${day}`]
    })
  }
  return (table) => ({ starts: days(table).toSorted(), until: days(`${table}_until`)[0] ?? '' })
}

/** Runs in the transaction that drops a partition, before the drop. */
export type BeforeDrop = (client: PoolClient, partition: string) => Promise<unknown>

/**
 * Drops the partitions that end by the start of this day. Returns how many were dropped. Rows in
 * the default partition stay: `createPartitions` makes a partition for them.
 */
export async function dropPartitions(
  pool: Pool,
  table: Partitioned,
  beforeDay: string,
  beforeDrop: BeforeDrop = () => Promise.resolve(),
): Promise<number> {
  checkDay(beforeDay)
  const { starts, until } = (await readPartitions(pool, [table]))(table)
  const past = starts.filter((start) => partitionEnd(table, start) <= beforeDay)
  const names = past.map((day) => partitionName(table, day))
  if (until !== '' && until <= beforeDay) names.unshift(partitionName(`${table}_until`, until))
  for (const name of names) await dropPartition(pool, name, beforeDrop)
  return names.length
}

async function dropPartition(pool: Pool, name: string, beforeDrop: BeforeDrop): Promise<void> {
  try {
    await inTransaction(pool, LOCK_TIMEOUT, async (client) => {
      // Only one worker gets this lock. It blocks writes to the partition, but no reads.
      await client.query(`lock table ${name} in share row exclusive mode`)
      await beforeDrop(client, name)
      await client.query(`drop table ${name}`)
    })
  } catch (error) {
    if (!isNotMigrated(error)) throw error
    // Another worker dropped it.
    const { rows } = await pool.query<{ found: string | null }>('select to_regclass($1) as found', [
      name,
    ])
    if (rows[0]?.found !== null) throw error
  }
}

/** Deletes the rows of all days before this one from the default partition. */
export async function deleteStrays(
  pool: Pool,
  table: Partitioned,
  beforeDay: string,
): Promise<void> {
  checkDay(beforeDay)
  const past = `${TABLES[table].column} < ${bound(table, beforeDay)}`
  for (let more = true; more;) {
    const { rowCount } = await pool.query(
      `delete from ${table}_default where ctid = any(array(
         select ctid from ${table}_default where ${past} limit ${DELETE_BATCH_ROWS}))`,
    )
    more = rowCount === DELETE_BATCH_ROWS
  }
}

/**
 * Creates a table and attaches it. `create table … partition of` would wait for every statement
 * that uses the parent table, and block all later ones.
 */
async function createPartition(pool: Pool, table: Partitioned, day: string): Promise<void> {
  checkDay(day)
  const name = partitionName(table, day)
  const { column } = TABLES[table]
  const [from, to] = [bound(table, day), bound(table, partitionEnd(table, day))]
  await inTransaction(pool, LOCK_TIMEOUT, async (client) => {
    // Inserts must wait here, before they choose a partition: one that chose the default partition
    // and waits for its lock fails with a check violation once the new partition is attached.
    await client.query(`lock table only ${table} in share row exclusive mode`)
    // Attaching takes this lock anyway. Taken first, nothing is written between move and attach.
    await client.query(`lock table ${table}_default in access exclusive mode`)
    await client.query(`create table ${name} (like ${table} including all)`)
    // The audit log lets nobody else delete rows.
    await client.query(`set local headrace.moving_partition = 'on'`)
    const { rowCount } = await client.query(
      `with moved as (
         delete from ${table}_default where ${column} >= ${from} and ${column} < ${to} returning *
       ) insert into ${name} select * from moved`,
    )
    await client.query(`alter table ${table} attach partition ${name}
      for values from (${from}) to (${to})`)
    // Triggers of rows are those of the parent table; this one is each partition's own.
    if (table === 'audit_events')
      await client.query(`create trigger audit_events_never_emptied before truncate on ${name}
        for each statement execute function refuse_audit_change()`)
    if (rowCount !== 0) await truncateIfEmpty(client, table)
  })
}

/** Moved rows stay in the file until they are overwritten; truncating deletes the file. */
async function truncateIfEmpty(client: PoolClient, table: Partitioned): Promise<void> {
  const { rowCount } = await client.query(`select 1 from ${table}_default limit 1`)
  if (rowCount === 0) await client.query(`truncate ${table}_default`)
}

/** The partitions that rows of the default partition belong to. One lookup for each of them. */
async function strays(pool: Pool, table: Partitioned): Promise<string[]> {
  const { column, type, unit } = TABLES[table]
  const utc = type === 'date' ? '::timestamp' : ` at time zone 'utc'`
  const first = `date_trunc('${unit}', min(${column})${utc})`
  const end = `(starts.day + interval '1 ${unit}')${type === 'date' ? '::date' : utc}`
  const { rows } = await pool.query<{ day: string }>(
    `with recursive starts as (
       select ${first} as day, 1 as number from ${table}_default
       union all
       select (select ${first} from ${table}_default where ${column} >= ${end}), number + 1
       from starts where day is not null and number < ${STRAYS_MAX}
     ) select to_char(day, 'YYYY-MM-DD') as day from starts where day is not null`,
  )
  return rows.map(({ day }) => day).filter((day) => DAY.test(day))
}

/** The start of a day, as a literal of the partition column. */
function bound(table: Partitioned, day: string): string {
  return TABLES[table].type === 'date' ? `'${day}'` : `'${day} 00:00+00'`
}

function partitionName(table: string, day: string): string {
  return `${table}_${day.replaceAll('-', '')}`
}

/** The day becomes part of a statement, so it must not contain anything else. */
function checkDay(day: string): void {
  if (!DAY.test(day)) throw new TypeError('the day must have the form YYYY-MM-DD')
}
