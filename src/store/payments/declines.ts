import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** As many declined cards in a day stop the payments of an organization for a day. */
export const DECLINES_MAX = 10

export type UnreadDecline = { readonly id: string; readonly ref: string }

/** Declines of the last day that nobody has read yet. Whoever reads one twice does no harm. */
export async function listUnreadDeclines(
  database: Kysely<Tables>,
  limit: number,
): Promise<UnreadDecline[]> {
  const { rows } = await sql<UnreadDecline>`
    select id, ref from provider_events
    where about = 'decline' and done_at is null and made_at > now() - interval '1 day'
    order by made_at limit ${limit}`.execute(database)
  return rows
}

/** Notes whose card it was; null for nobody's here. Returns the organization. */
export async function noteDecline(
  database: Kysely<Tables>,
  eventId: string,
  paymentId: string | null,
): Promise<string | null> {
  const { rows } = await sql<{ organizationId: string | null }>`
    update provider_events set done_at = now(),
      organization_id = (select organization_id from payments where id::text = ${paymentId})
    where id = ${eventId} returning organization_id as "organizationId"`.execute(database)
  return rows[0]?.organizationId ?? null
}

/** Until when an organization can start no payment; null if it can. */
export async function findStop(
  database: Kysely<Tables> | Transaction<Tables>,
  organizationId: string,
): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    select max(made_at) + interval '1 day' as until from (
      select made_at, lag(made_at, ${DECLINES_MAX - 1}) over (order by made_at) as first
      from provider_events where organization_id = ${organizationId}
        and made_at > now() - interval '2 days'
    ) declined
    where first > made_at - interval '1 day' and made_at > now() - interval '1 day'`.execute(
    database,
  )
  return rows[0]?.until ?? null
}
