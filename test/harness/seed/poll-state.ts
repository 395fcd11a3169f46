import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../../src/store/postgres/tables.ts'

/** As if the provider's list of events had never been read: it is read at once. */
export async function forgetPoll(database: Kysely<Tables>): Promise<void> {
  await sql`update provider_cursors set polled_at = null, leased_until = null`.execute(database)
}

/** As if it had been read two hours ago, and nobody may read it now. */
export async function agePoll(database: Kysely<Tables>): Promise<void> {
  await sql`update provider_cursors set polled_at = now() - interval '2 hours',
    leased_until = now() + interval '1 hour'`.execute(database)
}
