import { sql, type Kysely, type Transaction } from 'kysely'
import type { AuditEventRow, AuditStreamRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** Puts an event into the streams that have it, in the transaction that writes it. */
export async function queueForStreams(
  transaction: Transaction<Tables>,
  event: { readonly id: string; readonly madeAt: Date; readonly organizationId: string | null },
): Promise<void> {
  await sql`
    insert into audit_stream_events (stream_id, made_at, event_id)
    select id, ${event.madeAt}, ${event.id} from audit_streams
    where (organization_id = ${event.organizationId} or organization_id is null)
      and paused_at is null
    -- Waits for whoever is deleting a stream, and then leaves it out.
    for key share`.execute(transaction)
}

/**
 * Takes streams that have something to send, for as long as the lease lasts. Nobody else takes them
 * until then; if the process dies, somebody does afterwards.
 */
export async function claimStreams(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<AuditStreamRow[]> {
  const { rows } = await sql<AuditStreamRow>`
    update audit_streams set
      -- To the millisecond, as the process that holds it will name it.
      next_at = date_trunc('milliseconds', now()) + ${leaseSeconds} * interval '1 second'
    where id = any(array(
      select id from audit_streams where next_at <= now() and paused_at is null
        and exists (select from audit_stream_events where stream_id = audit_streams.id)
      -- Whoever is adding an event has a lock of its own on the stream.
      order by next_at limit ${limit} for no key update skip locked))
    returning *`.execute(database)
  return rows
}

export type WaitingEvent = AuditEventRow & { readonly position: number }

/**
 * What a stream sends next. An event that was written before another one began has the lower
 * position, and is seen whenever the other one is.
 */
export async function readWaiting(
  database: Kysely<Tables>,
  streamId: string,
  limit: number,
): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    select waiting.position, audit_events.* from (
      select * from audit_stream_events where stream_id = ${streamId}
      order by position limit ${limit}) as waiting
    join audit_events on audit_events.made_at = waiting.made_at
      and audit_events.id = waiting.event_id
    order by waiting.position`.execute(database)
  return rows
}

/** Counts once, also if two processes delivered it. */
export async function noteStreamed(
  database: Kysely<Tables>,
  streamId: string,
  position: number,
): Promise<void> {
  await sql`
    with delivered as (
      delete from audit_stream_events
      where stream_id = ${streamId} and position = ${position} returning position)
    update audit_streams set delivered = audit_streams.delivered + 1, delivered_at = now(),
      failures = 0, failing_since = null, last_error = null
    from delivered where id = ${streamId}`.execute(database)
}

/** Lets somebody send again after a delay, unless the stream was changed meanwhile. */
export async function releaseStream(
  database: Kysely<Tables>,
  { id, url, next_at: lease }: Pick<AuditStreamRow, 'id' | 'url' | 'next_at'>,
  delaySeconds: number,
  error: string | null,
): Promise<void> {
  await sql`
    update audit_streams set next_at = now() + ${delaySeconds} * interval '1 second',
      failures = failures + ${error === null ? 0 : 1},
      failing_since = case when ${error}::text is null then failing_since
        else coalesce(failing_since, now()) end,
      last_error = coalesce(${error}, last_error)
    where id = ${id} and url = ${url} and next_at = ${lease}`.execute(database)
}

/** Pauses a stream that failed for so many days, or has so many events waiting. Returns whether. */
export async function pauseStream(
  transaction: Transaction<Tables>,
  id: string,
  { days, events }: { readonly days: number; readonly events: number },
): Promise<boolean> {
  const { rows } = await sql`
    update audit_streams set paused_at = now()
    where id = ${id} and paused_at is null and failing_since is not null
      and (failing_since <= now() - ${days} * interval '1 day'
        or ${events} <= (select count(*) from (
          select from audit_stream_events where stream_id = ${id} limit ${events}) as waiting))
    returning id`.execute(transaction)
  return rows.length > 0
}
