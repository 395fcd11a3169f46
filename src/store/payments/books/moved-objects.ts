import { sql, type Kysely } from 'kysely'
import { DAY_MS } from '../../../lib/time.ts'
import { timeOfUuid } from '../../../lib/uuid.ts'
import { dayOf } from '../../postgres/partitions.ts'
import type { Tables } from '../../postgres/tables.ts'
import type { CompareAbout } from './provider-days.ts'

/** A payment, refund or dispute whose money moved. */
export type MovedObject = {
  readonly about: CompareAbout
  /** Its `money_ref` or `ref`; its id here if the provider's is not known. */
  readonly object: string
  /** Its id here; null if there is no such row. */
  readonly id: string | null
}

export type ObjectLine = {
  readonly ref: string
  readonly about: CompareAbout
  readonly object: string
  readonly day: string
  readonly at: Date
  readonly amount: number
  readonly currency: string
  readonly paymentId: string | null
}

export type ObjectEntry = Omit<ObjectLine, 'ref' | 'currency'>

/** Objects with a movement at the provider or an entry in the ledger on a day, in their order. */
export async function listMovedObjects(
  database: Kysely<Tables>,
  day: string,
  after: MovedObject | undefined,
  limit: number,
): Promise<MovedObject[]> {
  const from = Date.parse(`${day}T00:00:00Z`)
  const { rows } = await sql<MovedObject>`
    with entries as (
      select distinct about, id from (
        select case part when 'tax' then 'payment' else part end as about,
          split_part(reference, ':', 2)::uuid as id
        from (
          select reference, split_part(reference, ':', 1) as part from transfers
          where (debit_account = 'provider:stripe' or credit_account = 'provider:stripe')
            and id >= ${firstIdOf(from)}::uuid and id < ${firstIdOf(from + DAY_MS)}::uuid) made
        where part in ('payment', 'tax', 'refund', 'dispute')) named),
    moved as (
      select lines.about, object_ref as object,
        coalesce(payments.id, refunds.id, disputes.id) as id
      from provider_lines lines
      left join payments on about = 'payment' and payments.money_ref = object_ref
      left join refunds on about = 'refund' and refunds.ref = object_ref
      left join disputes on about = 'dispute' and disputes.ref = object_ref
      where day = ${day}::date
      union
      select about, coalesce(money_ref, refunds.ref, disputes.ref, entries.id::text), entries.id
      from entries
      left join payments on about = 'payment' and payments.id = entries.id
      left join refunds on about = 'refund' and refunds.id = entries.id
      left join disputes on about = 'dispute' and disputes.id = entries.id)
    select about, object, id from moved
    where (about, object) > (${after?.about ?? ''}, ${after?.object ?? ''})
    order by about, object limit ${limit}`.execute(database)
  return rows
}

/** All movements of these objects, but of payments that were settled outside the ledger. */
export async function linesOf(
  database: Kysely<Tables>,
  objects: readonly MovedObject[],
): Promise<ObjectLine[]> {
  const { rows } = await sql<ObjectLine>`
    select lines.ref, lines.about, object_ref as object, day::text, made_at as at, lines.amount,
      lines.currency, payment_id as "paymentId"
    from jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) as wanted (about text, object text)
    join provider_lines lines on lines.about = wanted.about and object_ref = object
    left join payments on payments.id = payment_id
    where resolution is distinct from 'outside'`.execute(database)
  return rows
}

/**
 * What the ledger has of these objects: the net part and the tax of a movement are two transfers,
 * and one entry. Refunds and disputes move more than once, and count their moves.
 */
export async function entriesOf(
  database: Kysely<Tables>,
  objects: readonly MovedObject[],
): Promise<ObjectEntry[]> {
  const { rows } = await sql<Omit<ObjectEntry, 'at' | 'day'> & { readonly firstId: string }>`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(objects)}::jsonb)
        as wanted (about text, object text, id uuid)),
    moves as (
      select about, object, id, id as payment,
        array['payment:' || id, 'tax:' || id] as named
      from wanted where about = 'payment'
      union all
      select about, object, id, payment,
        array[about || ':' || id || ':' || move, about || ':' || id || ':' || move || ':tax']
      from (
        select about, object, wanted.id, payment_id as payment, moves
          from wanted join refunds on about = 'refund' and refunds.id = wanted.id
        union all
        select about, object, wanted.id, payment_id, moves
          from wanted join disputes on about = 'dispute' and disputes.id = wanted.id) counted,
        generate_series(1, moves) move)
    select about, object, payment as "paymentId", min(transfers.id::text) as "firstId",
      sum(case when debit_account = 'provider:stripe' then amount else -amount end)::bigint
        as amount
    from moves join transfers on reference = any(named)
      and (debit_account = 'provider:stripe' or credit_account = 'provider:stripe')
    group by about, object, payment, named`.execute(database)
  // As above: the clock that made the id decides, or an entry at midnight is on no day.
  return rows.map(({ firstId, ...entry }) => {
    const timeMs = timeOfUuid(firstId)
    return { ...entry, at: new Date(timeMs), day: dayOf(timeMs) }
  })
}

/** Ids begin with their time. */
function firstIdOf(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
