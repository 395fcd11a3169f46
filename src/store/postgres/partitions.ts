import type { Pool } from 'pg'
import { DAY_MS } from '../../lib/time.ts'

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

/** The audit log is kept for ever. */
type Droppable = Exclude<Partitioned, 'audit_events'>

/** Partitions that one run makes for rows of the default partition; the next run makes more. */
const STRAYS_MAX = 64

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Days that sums of usage are kept: per hour, and per day as whole months. */
export const SUMS_DAYS = { usage_hourly: 90, usage_daily: 1_096 } as const

/** Partitions exist for so many days in advance. */
export const DAYS_AHEAD = 7

/** The UTC day as YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS)
}

/** The first day of the partition that this day belongs to; partitions are named by it. */
function partitionStart(table: Partitioned, day: string): string {
  return TABLES[table].unit === 'day' ? day : `${day.slice(0, 8)}01`
}

function partitionEnd(table: Partitioned, start: string): string {
  // No month has more than 31 days, and no two have fewer than 32.
  return partitionStart(table, addDays(start, TABLES[table].unit === 'day' ? 1 : 31))
}

/**
 * Creates the partitions of these days, and of all rows in the default partition. Returns the first
 * days of the partitions it created. The functions of the database that create and drop partitions
 * have the rights of the owner of the tables, because the worker's role does not own them.
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
  const known = await listPartitions(pool, table)
  const missing = [...wanted].filter((day) => !known.includes(day)).toSorted()
  for (const day of missing) await pool.query('select create_partition($1, $2)', [table, day])
  return missing
}

/** The first days of the partitions, in order. */
export async function listPartitions(pool: Pool, table: Partitioned): Promise<string[]> {
  return (await readPartitions(pool, [table]))(table)
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
  const lacks = (table: Partitioned, day: string) =>
    !partitions(table).includes(partitionStart(table, day))
  const days: string[] = []
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) days.push(day)
  const asked = tables.map((table) => `exists (select from ${table}_default) as ${table}`)
  const { rows } = await database.query<Record<string, boolean>>(`select ${asked.join()}`)
  return {
    missing: tables.filter((table) => days.some((day) => lacks(table, day))),
    strays: tables.filter((table) => rows[0]?.[table] === true),
  }
}

/** Reads the first days of the partitions of several tables at once, in order. */
async function readPartitions(
  database: Pick<Pool, 'query'>,
  tables: readonly Partitioned[],
): Promise<(table: Partitioned) => string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select partition.relname as name from pg_inherits
     join pg_class partition on partition.oid = inhrelid
     where inhparent = any($1::text[]::regclass[])`,
    [tables],
  )
  return (table) => {
    const form = new RegExp(`^${table}_(\\d{4})(\\d{2})(\\d{2})$`)
    const starts = rows.flatMap(({ name }) => {
      const [, year, month, day] = form.exec(name) ?? []
      return day === undefined ? [] : [`${year}-${month}-${day}`]
    })
    return starts.toSorted()
  }
}

/**
 * Drops the partitions that end by the start of this day, and notes from when on the table is
 * complete. Returns how many were dropped. Rows in the default partition stay: `createPartitions`
 * makes a partition for them.
 */
export async function dropPartitions(
  pool: Pool,
  table: Droppable,
  beforeDay: string,
): Promise<number> {
  const starts = await listPartitions(pool, table)
  let count = 0
  for (const start of starts.filter((day) => partitionEnd(table, day) <= beforeDay)) {
    const { rows } = await pool.query<{ dropped: boolean }>(
      'select drop_partition($1, $2, $3) as dropped',
      [table, `${table}_${start.replaceAll('-', '')}`, partitionStart(table, beforeDay)],
    )
    // Another worker may have dropped it.
    if (rows[0]?.dropped === true) count += 1
  }
  return count
}

/** Deletes content of all days before this one from the default partition. */
export async function deleteStrayContent(
  pool: Pool,
  table: 'retained_standard' | 'retained_contributor',
  beforeDay: string,
): Promise<void> {
  for (let more = true; more;) {
    const { rows } = await pool.query<{ deleted: number }>(
      'select delete_stray_content($1, $2) as deleted',
      [table, beforeDay],
    )
    more = rows[0]?.deleted !== 0
  }
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
