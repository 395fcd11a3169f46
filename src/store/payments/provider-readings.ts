import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { ProviderReadingRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'

export type About = ProviderReadingRow['about']

/** Something that somebody reads at the provider, until the lease ends. */
export type ClaimedReading = ProviderReadingRow

/**
 * Something must be read, or asked for: at once, whatever was planned. With a delay whoever orders
 * it does it first, and others if they could not.
 */
export async function orderReading(
  database: Kysely<Tables> | Transaction<Tables>,
  about: About,
  ref: string,
  afterSeconds = 0,
): Promise<void> {
  await sql`insert into provider_readings (about, ref, next_at)
    values (${about}, ${ref}, now() + ${afterSeconds} * interval '1 second')
    on conflict (about, ref) do update
    set hints = provider_readings.hints + 1, next_at = now()`.execute(database)
}

/** Takes what is due, oldest first, for as long as the lease lasts. */
export async function claimReadings(
  database: Kysely<Tables>,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedReading[]> {
  const { rows } = await sql<ClaimedReading>`
    with due as materialized (
      select about, ref from provider_readings
      where next_at <= now() and (leased_until is null or leased_until <= now())
      order by next_at limit ${limit} for no key update skip locked)
    update provider_readings as readings
    set leased_until = now() + ${leaseSeconds} * interval '1 second'
    from due where readings.about = due.about and readings.ref = due.ref
    returning readings.*`.execute(database)
  return rows
}

/** Takes one thing at once, unless somebody else has it. */
export async function claimReading(
  database: Kysely<Tables>,
  about: About,
  ref: string,
  leaseSeconds: number,
): Promise<ClaimedReading | undefined> {
  const { rows } = await sql<ClaimedReading>`
    update provider_readings set leased_until = now() + ${leaseSeconds} * interval '1 second'
    where about = ${about} and ref = ${ref} and (leased_until is null or leased_until <= now())
    returning *`.execute(database)
  return rows[0]
}

/**
 * Ends a lease: null means that it is over. A hint that came meanwhile makes it due at once,
 * because what was read may be older than the hint.
 */
export async function releaseReading(
  database: Kysely<Tables>,
  { about, ref, hints }: ClaimedReading,
  nextSeconds: number | null,
): Promise<void> {
  if (nextSeconds === null)
    await sql`delete from provider_readings
      where about = ${about} and ref = ${ref} and hints = ${hints}`.execute(database)
  await sql`
    update provider_readings set leased_until = null,
      next_at = case when hints = ${hints}
        then now() + ${nextSeconds ?? 0}::double precision * interval '1 second' else now() end
    where about = ${about} and ref = ${ref}`.execute(database)
}
