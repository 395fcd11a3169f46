import type { Pool, PoolClient } from 'pg'
import { DAY_MS } from '../../lib/time.ts'
import { inTransaction } from './in-transaction.ts'

/** The tables that are partitioned by day, and the column that says which. */
const DAY_COLUMNS = {
  usage_records: 'opened_on',
  retained_standard: 'kept_on',
  retained_contributor: 'kept_on',
} as const

export type DayPartitioned = keyof typeof DAY_COLUMNS

/**
 * Everyone who comes after one that waits for a table waits behind it, so none waits for long; the
 * job tries again.
 */
const LOCK_TIMEOUT = `set local lock_timeout = '1s'`

/** Days that are brought out of the default partition in one run; the next run does more. */
const STRAY_DAYS_MAX = 64

const STRAY_ROWS_DELETED_AT_ONCE = 10_000

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** The UTC day of a moment, as YYYY-MM-DD. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
}

/**
 * Makes the partitions of these days, and of every day that has rows in the default partition.
 * Those rows move, in the transaction that makes their partition: reads find them in one place or
 * the other, and writes of that kind wait meanwhile. Returns the days that were made.
 */
export async function makeDayPartitions(
  pool: Pool,
  table: DayPartitioned,
  firstDay: string,
  lastDay: string,
): Promise<string[]> {
  const wanted = new Set(await strayDays(pool, table))
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) wanted.add(day)
  const made = new Set(await listDayPartitions(pool, table))
  const missing = [...wanted].filter((day) => !made.has(day)).toSorted()
  for (const day of missing) await makeDayPartition(pool, table, day)
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
  const days = rows.map(({ name }) => dayOfName(table, name))
  return days.filter((day) => day !== undefined).toSorted()
}

/**
 * Drops the partitions of the days before this one, and deletes what of those days is left in the
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
      client.query(`drop table if exists ${nameOfDay(table, day)}`),
    )
  }
  for (let more = true; more;) {
    const { rowCount } = await pool.query(
      `delete from ${table}_default where ctid = any(array(
         select ctid from ${table}_default where ${DAY_COLUMNS[table]} < $1
         limit ${STRAY_ROWS_DELETED_AT_ONCE}))`,
      [beforeDay],
    )
    more = rowCount === STRAY_ROWS_DELETED_AT_ONCE
  }
  return past
}

/**
 * Attached rather than created in its place, which would wait for everyone who uses the table and
 * hold up everyone who comes after.
 */
async function makeDayPartition(pool: Pool, table: DayPartitioned, day: string): Promise<void> {
  checkDay(day)
  const name = nameOfDay(table, day)
  const range = `from ('${day}') to ('${addDays(day, 1)}')`
  await inTransaction(pool, LOCK_TIMEOUT, async (client) => {
    // Attaching takes this lock anyway. Taken first, no row can come between moving and attaching.
    await client.query(`lock table ${table}_default in access exclusive mode`)
    await client.query(`create table ${name} (like ${table} including all)`)
    const { rowCount } = await client.query(
      `with moved as (
         delete from ${table}_default where ${DAY_COLUMNS[table]} = $1 returning *
       ) insert into ${name} select * from moved`,
      [day],
    )
    await client.query(`alter table ${table} attach partition ${name} for values ${range}`)
    if (rowCount !== 0) await forgetMoved(client, table)
  })
}

/** What was moved stays in the file until it is written over; truncating throws the file away. */
async function forgetMoved(client: PoolClient, table: DayPartitioned): Promise<void> {
  const { rowCount } = await client.query(`select 1 from ${table}_default limit 1`)
  if (rowCount === 0) await client.query(`truncate ${table}_default`)
}

/** A handful of index look-ups, however many rows there are. */
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

function nameOfDay(table: DayPartitioned, day: string): string {
  return `${table}_${day.replaceAll('-', '')}`
}

function dayOfName(table: DayPartitioned, name: string): string | undefined {
  const [, year, month, day] = new RegExp(`^${table}_(\\d{4})(\\d{2})(\\d{2})$`).exec(name) ?? []
  return day === undefined ? undefined : `${year}-${month}-${day}`
}

/** It becomes a part of a statement. */
function checkDay(day: string): void {
  if (!DAY.test(day)) throw new TypeError('a day is written YYYY-MM-DD')
}
