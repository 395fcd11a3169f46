import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** The provider knows a key for at least 24 hours. Later the same key would be another request. */
export const KEY_HOURS = 23

/**
 * Which attempt a request is that is made from a row of this time, from 1, if each lasts for so
 * many hours: it is a part of the idempotency key. PostgreSQL has dated the row and says how old it
 * is, so that no process with another clock counts differently.
 */
export async function attemptOf(
  database: Kysely<Tables>,
  createdAt: Date,
  hours: number,
): Promise<number> {
  const { rows } = await sql<{ attempt: number }>`
    select 1 + greatest(0, floor(extract(epoch from now() - ${createdAt}::timestamptz)
      / ${hours * 3_600}))::int as attempt`.execute(database)
  return rows[0]!.attempt
}
