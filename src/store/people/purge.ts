import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/**
 * Deletes sessions, links, challenges and answers to idempotency keys that are over, at most a
 * batch of each kind. Returns whether there may be more. The worker has no rights to these tables:
 * the function of the database deletes nothing else.
 */
export async function purgeExpired(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`select delete_expired() as more`.execute(database)
  return rows[0]?.more === true
}

/**
 * Forgets people again who were deleted a short time ago: a call of theirs that had begun before
 * may have written something after.
 */
export async function forgetDeleted(database: Kysely<Tables>): Promise<void> {
  await sql`select forget_deleted()`.execute(database)
}
