import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type UnreadWarning = { readonly id: string; readonly ref: string }

/** Of the last day: whoever was away for longer has been told by the dispute. */
export async function listUnreadWarnings(
  database: Kysely<Tables>,
  limit: number,
): Promise<UnreadWarning[]> {
  const { rows } = await sql<UnreadWarning>`
    select id, ref from provider_events
    where about = 'warning' and done_at is null and made_at > now() - interval '1 day'
    order by made_at limit ${limit}`.execute(database)
  return rows
}

/** In the transaction of what it led to, so that it is read again if that was not done. */
export async function noteWarningRead(
  transaction: Transaction<Tables>,
  eventId: string,
): Promise<void> {
  await sql`update provider_events set done_at = now() where id = ${eventId}`.execute(transaction)
}
