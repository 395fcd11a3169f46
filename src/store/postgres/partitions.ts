import type { Pool, PoolClient } from 'pg'
import { DAY_MS } from '../../lib/time.ts'
import { inTransaction } from './in-transaction.ts'

/** The tables that are partitioned by day, and their partition columns. */
const DAY_COLUMNS = {
  usage_records: 'opened_on',
  retained_standard: 'kept_on',
  retained_contributor: 'kept_on',
} as const

export type DayPartitioned = keyof typeof DAY_COLUMNS

/** Later statements queue behind one that waits for a lock. The job retries. */
const LOCK_TIMEOUT = `set local lock_timeout = '1s'`

/** Days that one run moves out of the default partition; the next run moves more. */
const STRAY_DAYS_MAX = 64

const DELETE_BATCH_ROWS = 10_000

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The UTC day as YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
}

/**
 * Creates the partitions of these days, and of every day that has rows in the default partition.
 * The transaction that creates a partition also moves its rows: readers always see them in exactly
 * one of the two, and writes to the default partition wait. Returns the days that were created.
 */
export async function createDayPartitions(
  pool: Pool,
  table: DayPartitioned,
  firstDay: string,
  lastDay: string,
): Promise<string[]> {
  const wanted = new Set(await strayDays(pool, table))
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) wanted.add(day)
  const existing = new Set(await listDayPartitions(pool, table))
  const missing = [...wanted].filter((day) => !existing.has(day)).toSorted()
  for (const day of missing) await createDayPartition(pool, table, day)
  return missing
}

/** The days that have a partition of their own, in order. */
export async function listDayPartitions(pool: Pool, table: DayPartitioned): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select partition.relname as name from pg_inherits
     join pg_class partition on partition.oid = inhrelid
     where inhparent = $1::regclass`,
    [table],
  )
  const days = rows.map(({ name }) => partitionDay(table, name))
  return days.filter((day) => day !== undefined).toSorted()
}

/**
 * Drops the partitions of all days before this one, and deletes the rows of those days from the
 * default partition. Returns the days that were dropped.
 */
export async function dropDayPartitions(
  pool: Pool,
  table: DayPartitioned,
  beforeDay: string,
): Promise<string[]> {
  checkDay(beforeDay)
  const past = (await listDayPartitions(pool, table)).filter((day) => day < beforeDay)
  for (const day of past) {
    await inTransaction(pool, LOCK_TIMEOUT, (client) =>
      client.query(`drop table if exists ${partitionName(table, day)}`),
    )
  }
  for (let more = true; more;) {
    const { rowCount } = await pool.query(
      `delete from ${table}_default where ctid = any(array(
         select ctid from ${table}_default where ${DAY_COLUMNS[table]} < $1
         limit ${DELETE_BATCH_ROWS}))`,
      [beforeDay],
    )
    more = rowCount === DELETE_BATCH_ROWS
  }
  return past
}

/**
 * Creates a table and attaches it. `create table … partition of` would wait for every statement
 * that uses the parent table, and block all later ones.
 */
async function createDayPartition(pool: Pool, table: DayPartitioned, day: string): Promise<void> {
  checkDay(day)
  const name = partitionName(table, day)
  const range = `from ('${day}') to ('${addDays(day, 1)}')`
  await inTransaction(pool, LOCK_TIMEOUT, async (client) => {
    // Attaching takes this lock anyway. Taking it first prevents inserts between move and attach.
    await client.query(`lock table ${table}_default in access exclusive mode`)
    await client.query(`create table ${name} (like ${table} including all)`)
    const { rowCount } = await client.query(
      `with moved as (
         delete from ${table}_default where ${DAY_COLUMNS[table]} = $1 returning *
       ) insert into ${name} select * from moved`,
      [day],
    )
    await client.query(`alter table ${table} attach partition ${name} for values ${range}`)
    if (rowCount !== 0) await truncateIfEmpty(client, table)
  })
}

/** Moved rows stay in the file until they are overwritten; truncating deletes the file. */
async function truncateIfEmpty(client: PoolClient, table: DayPartitioned): Promise<void> {
  const { rowCount } = await client.query(`select 1 from ${table}_default limit 1`)
  if (rowCount === 0) await client.query(`truncate ${table}_default`)
}

/** One index lookup per day, however many rows there are. */
async function strayDays(pool: Pool, table: DayPartitioned): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>(
    `with recursive days as (
       select min(${DAY_COLUMNS[table]}) as day, 1 as number from ${table}_default
       union all
       select (select min(${DAY_COLUMNS[table]}) from ${table}_default
               where ${DAY_COLUMNS[table]} > days.day), number + 1
       from days where day is not null and number < ${STRAY_DAYS_MAX}
     ) select to_char(day, 'YYYY-MM-DD') as day from days where day is not null`,
  )
  return rows.map(({ day }) => day).filter((day) => DAY.test(day))
}

function partitionName(table: DayPartitioned, day: string): string {
  return `${table}_${day.replaceAll('-', '')}`
}

function partitionDay(table: DayPartitioned, name: string): string | undefined {
  const [, year, month, day] = new RegExp(`^${table}_(\\d{4})(\\d{2})(\\d{2})$`).exec(name) ?? []
  return day === undefined ? undefined : `${year}-${month}-${day}`
}

/** The day becomes part of a statement, so it must not contain anything else. */
function checkDay(day: string): void {
  if (!DAY.test(day)) throw new TypeError('the day must have the form YYYY-MM-DD')
}
