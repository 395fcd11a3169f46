import { sql, type Kysely } from 'kysely'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Tables } from '../postgres/tables.ts'

/** Includes `fromMs`, excludes `toMs`. */
export type Period = { readonly fromMs: number; readonly toMs: number }

const KEPT = {
  usage_hourly: 'sums per hour are kept from {day} on: choose whole days or a later --from',
  usage_daily: 'sums per day are kept from {day} on: choose a later --from',
  usage_records: 'usage records are kept from {day} on: choose a later --from',
} as const

/** Part of the period was deleted. */
export class UsageNotKept extends OperatorError {
  /** The first day that is complete, as YYYY-MM-DD. */
  readonly keptFrom: string

  constructor(table: keyof typeof KEPT, day: string) {
    super(KEPT[table].replace('{day}', day))
    this.keptFrom = day
  }
}

/** Rejects a period of which rows were deleted, rather than report a part of it. */
export async function checkKept(
  database: Kysely<Tables>,
  table: keyof typeof KEPT,
  { fromMs }: Period,
): Promise<void> {
  const { rows } = await sql<{ day: string }>`
    select to_char(day, 'YYYY-MM-DD') as day from kept_from where table_name = ${table}
      and day > (${new Date(fromMs)}::timestamptz at time zone 'utc')`.execute(database)
  const [kept] = rows
  if (kept !== undefined) throw new UsageNotKept(table, kept.day)
}
