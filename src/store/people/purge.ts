import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Rows per statement: deleting holds no lock for long. */
const BATCH = 1_000

/** What is over by when it says, or a day after it began. Each has an index on that column. */
const EXPIRING = [
  { table: 'sessions', column: 'ends_at', days: 0 },
  // Used ones are kept as long: they count against the number of links per hour.
  { table: 'mail_tokens', column: 'ends_at', days: 1 },
  { table: 'sign_ups', column: 'ends_at', days: 0 },
  { table: 'challenges', column: 'ends_at', days: 0 },
  { table: 'idempotency_keys', column: 'created_at', days: 1 },
] as const

/**
 * Deletes at most a batch of each kind, without waiting for whoever has locked some of it. Returns
 * whether there may be more.
 */
export async function purgeExpired(database: Kysely<Tables>): Promise<boolean> {
  let full = false
  for (const { table, column, days } of EXPIRING) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)}
        where ${sql.ref(column)} < now() - ${days} * interval '1 day'
        limit ${BATCH} for update skip locked))`.execute(database)
    full ||= Number(numAffectedRows ?? 0) === BATCH
  }
  return full
}
