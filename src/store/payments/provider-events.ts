import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { hintAtPayment } from './payment-queue.ts'
import { orderReading } from './provider-readings.ts'

export type HeardEvent = {
  readonly id: string
  readonly type: string
  readonly about: string
  readonly ref: string
}

/**
 * Notes an event together with the order to read what it is about, so that neither is lost. Returns
 * whether it is new: a repetition does nothing, because the first one has led to a reading.
 */
export async function noteEvent(
  database: Kysely<Tables>,
  { id, type, about, ref }: HeardEvent,
  source: 'webhook' | 'poll',
): Promise<boolean> {
  return withinTransaction(database, async (transaction) => {
    const noted = await transaction
      .insertInto('provider_events')
      .values({ id, type, about, ref, source })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (noted === undefined) return false
    if (about === 'payment') await hintAtPayment(transaction, ref)
    if (about === 'refund' || about === 'dispute') await orderReading(transaction, about, ref)
    return true
  })
}

/** From when to read the list of events; undefined if somebody else reads it, or just did. */
export async function claimCursor(
  database: Kysely<Tables>,
  { leaseSeconds, pauseSeconds }: { readonly leaseSeconds: number; readonly pauseSeconds: number },
): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    update provider_cursors set leased_until = now() + ${leaseSeconds} * interval '1 second',
      begun_at = coalesce(begun_at, now())
    where name = 'events' and (leased_until is null or leased_until <= now())
      and (polled_at is null or polled_at <= now() - ${pauseSeconds} * interval '1 second')
    returning at`.execute(database)
  return rows[0]?.at
}

/** Longer than the provider lists them, so that none is taken for new twice. */
const KEPT_DAYS = 90
const FORGOTTEN_AT_ONCE = 1_000

export async function forgetEvents(database: Kysely<Tables>): Promise<void> {
  await sql`delete from provider_events where id = any(array(
    select id from provider_events where made_at < now() - ${KEPT_DAYS} * interval '1 day'
    order by made_at limit ${FORGOTTEN_AT_ONCE}))`.execute(database)
}

/** Only after the whole list was read. Without an event the cursor stays. */
export async function moveCursor(database: Kysely<Tables>, to: Date | null): Promise<void> {
  await sql`update provider_cursors set at = greatest(at, ${to}::timestamptz), polled_at = now(),
    leased_until = null where name = 'events'`.execute(database)
}
