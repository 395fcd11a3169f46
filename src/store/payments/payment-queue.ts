import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** A payment that somebody reads at the provider, until the lease ends. */
export type ClaimedPayment = PaymentRow

/**
 * Takes payments that are due, oldest first, for as long as the lease lasts. Nobody else takes them
 * until then; if the process dies, somebody does afterwards.
 */
export async function claimPayments(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedPayment[]> {
  const { rows } = await sql<ClaimedPayment>`
    update payments set leased_until = now() + ${leaseSeconds} * interval '1 second'
    where id = any(array(
      select id from payments
      where next_at <= now() and (leased_until is null or leased_until <= now())
      order by next_at limit ${limit} for no key update skip locked))
    returning *`.execute(database)
  return rows
}

/** Takes one payment at once, unless somebody reads it or did so a moment ago. */
export async function claimPayment(
  database: Kysely<Tables>,
  id: string,
  { leaseSeconds, pauseSeconds }: { readonly leaseSeconds: number; readonly pauseSeconds: number },
): Promise<ClaimedPayment | undefined> {
  const { rows } = await sql<ClaimedPayment>`
    update payments set leased_until = now() + ${leaseSeconds} * interval '1 second'
    where id = ${id} and (leased_until is null or leased_until <= now())
      and (read_at is null or read_at <= now() - ${pauseSeconds} * interval '1 second')
    returning *`.execute(database)
  return rows[0]
}

/**
 * Ends a lease and says when the payment is read next: null for not again. A hint that came
 * meanwhile makes it due at once, because what was read may be older than the hint.
 */
export async function releasePayment(
  database: Kysely<Tables>,
  { id, hints }: Pick<ClaimedPayment, 'id' | 'hints'>,
  nextSeconds: number | null,
): Promise<void> {
  await sql`
    update payments set leased_until = null, read_at = now(),
      next_at = case when hints = ${hints}
        then now() + ${nextSeconds}::double precision * interval '1 second' else now() end
    where id = ${id}`.execute(database)
}

/** Somebody said that a payment has changed. It is read at once, whatever its state. */
export async function hintAtPayment(
  database: Kysely<Tables> | Transaction<Tables>,
  ref: string,
): Promise<void> {
  await sql`update payments set hints = hints + 1, next_at = now() where ref = ${ref}`.execute(
    database,
  )
}

/** Makes a payment due at once, whatever its state: a console reads it within a second. */
export async function orderPaymentReading(database: Kysely<Tables>, id: string): Promise<void> {
  await sql`update payments set hints = hints + 1, next_at = now() where id = ${id}`.execute(
    database,
  )
}
