import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../postgres/tables.ts'
import type { CompareAbout } from './provider-days.ts'

/** A movement of money as the provider listed it. */
export type ListedLine = {
  readonly ref: string
  readonly about: CompareAbout
  readonly object: string
  /** Of the payment that it is of. */
  readonly moneyRef: string | null
  /** Our ids, as far as it carries them. */
  readonly paymentId: string | null
  readonly organizationId: string | null
  readonly at: Date
  readonly amount: number
  readonly currency: string
  readonly fee: number
  readonly feeCurrency: string
}

/**
 * Stores those movements that are ours, and returns how many these are. Ours is what belongs to a
 * payment, refund or dispute that we know, and a charge with the id of one of our organizations:
 * a restore may have lost its payment. To store one again does nothing.
 */
export async function storeLines(
  database: Kysely<Tables>,
  day: string,
  lines: readonly ListedLine[],
): Promise<number> {
  const { rows } = await sql`
    insert into provider_lines (ref, day, made_at, about, object_ref, payment_id, amount, currency,
      fee, fee_currency)
    select ref, ${day}::date, at, about, object, coalesce(owner.id, "paymentId"), amount, currency,
      fee, "feeCurrency"
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as listed (ref text, at timestamptz,
      about text, object text, "moneyRef" text, "paymentId" uuid, "organizationId" uuid,
      amount bigint, currency text, fee bigint, "feeCurrency" text)
    left join lateral (
      select id from payments where money_ref = "moneyRef"
      union all select id from payments where id = "paymentId"
      union all select payment_id from refunds where about = 'refund' and refunds.ref = object
      union all select payment_id from disputes where about = 'dispute' and disputes.ref = object
      union all select payment_id from provider_lines charges
        where charges.about = 'payment' and charges.object_ref = "moneyRef"
      limit 1) owner on true
    where owner.id is not null or ("paymentId" is not null
      and exists (select from organizations where organizations.id = "organizationId"))
    on conflict (ref) do update set payment_id = excluded.payment_id
    returning ref`.execute(database)
  return rows.length
}
