import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../../postgres/tables.ts'
import { postFees } from './post-fees.ts'

export type CompareAbout = 'payment' | 'refund' | 'dispute'

/** Micro-units of the ledger's currency; negative if money left. */
export type DaySums = {
  readonly charges: number
  readonly refunds: number
  readonly disputes: number
}

/** A movement at the provider without an entry of ours, or an entry without a movement. */
export type DayItem = {
  readonly about: CompareAbout
  /** Of the object at the provider. */
  readonly ref: string
  readonly line: string | null
  readonly paymentId: string | null
  readonly amount: number
  readonly currency: string
  readonly missing: 'entry' | 'line'
}

export type DayResult = {
  readonly theirs: DaySums
  readonly ours: DaySums
  readonly withoutEntry: number
  readonly withoutLine: number
  readonly awaited: number
  readonly ignored: number
  readonly difference: number
  readonly items: readonly DayItem[]
}

/** A day that somebody compares, and when it was compared before. */
export type DueDay = { readonly day: string; readonly comparedAt: Date | null }

/** After its beginning: two days have passed since its end, and both lists are complete. */
const DAYS_AFTER = 3
/** A day that differs is compared again each day, for as long as this. */
const COMPARED_DAYS = 30

/**
 * The oldest day that was never compared, beginning with that of the first payment, or else one
 * that differed when it was compared on an earlier day. Undefined if there is none, or if somebody
 * else compares.
 */
export async function claimDay(
  database: Kysely<Tables>,
  now: Date,
  leaseSeconds: number,
): Promise<DueDay | undefined> {
  const claimed = await sql`
    update provider_cursors set leased_until = now() + ${leaseSeconds} * interval '1 second'
    where name = 'money' and (leased_until is null or leased_until <= now())
    returning name`.execute(database)
  if (claimed.rows.length === 0) return undefined
  const { rows } = await sql<DueDay>`
    with today as (select (${now}::timestamptz at time zone 'utc')::date as today),
    next as (
      select coalesce(
        (select max(day) + 1 from provider_days),
        (select (created_at at time zone 'utc')::date from payments order by id limit 1)) as day)
    select day::text, null::timestamptz as "comparedAt" from next, today
    where day <= today - ${DAYS_AFTER}::int
    union all (
      select day::text, compared_at from provider_days, today
      where without_entry + without_line + awaited > 0 and compared_until > ${now}
        and compared_at < today::timestamp at time zone 'utc'
      order by day limit 1)
    limit 1`.execute(database)
  if (rows[0] === undefined) await releaseDay(database)
  return rows[0]
}

export async function releaseDay(database: Kysely<Tables>): Promise<void> {
  await sql`update provider_cursors set leased_until = null, polled_at = now()
    where name = 'money'`.execute(database)
}

/**
 * Posts the fees of a day and writes what its comparison found, unless somebody else has done so
 * since it was claimed.
 */
export async function settleDay(
  transaction: Transaction<Tables>,
  { day, comparedAt }: DueDay,
  { theirs, ours, ...result }: DayResult,
  { now, currency }: { readonly now: Date; readonly currency: string },
): Promise<void> {
  const fees = await postFees(transaction, day, currency)
  const row = {
    day,
    their_charges: theirs.charges,
    our_charges: ours.charges,
    their_refunds: theirs.refunds,
    our_refunds: ours.refunds,
    their_disputes: theirs.disputes,
    our_disputes: ours.disputes,
    their_fees: fees.theirs,
    our_fees: fees.ours,
    other_fees: JSON.stringify(fees.others),
    without_entry: result.withoutEntry,
    without_line: result.withoutLine,
    awaited: result.awaited,
    ignored: result.ignored,
    difference: result.difference,
    items: JSON.stringify(result.items),
    // A hint may help a movement without an entry until it is compared again.
    alert: result.withoutLine > 0 || (result.withoutEntry > 0 && comparedAt !== null),
    compared_at: now,
  }
  const names = Object.keys(row)
  await sql`
    insert into provider_days (${sql.raw(names.join())}, compared_until)
    values (${sql.join(Object.values(row))},
      ${now}::timestamptz + ${COMPARED_DAYS} * interval '1 day')
    on conflict (day) do update set (${sql.raw(names.join())})
      = row (${sql.raw(names.map((name) => `excluded.${name}`).join())})
    where provider_days.compared_at is not distinct from ${comparedAt}`.execute(transaction)
}
