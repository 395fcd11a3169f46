import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

export type ReturnedMoney = {
  /** With tax: refunds that have not failed, and what banks hold in disputes. */
  readonly amount: number
  readonly tax: number
}

/** What has left each of these payments again. None: nothing has. */
export async function returnedOf(
  database: Kysely<Tables>,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; amount: number }>`
    select payment_id as id, sum(amount)::bigint as amount from (
      select payment_id, amount from refunds
        where payment_id = any(${paymentIds}::uuid[]) and state <> 'failed'
      union all select payment_id, amount from disputes
        where payment_id = any(${paymentIds}::uuid[]) and withdrawn > returned) as returned
    group by payment_id`.execute(database)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

/** What has left a payment again, but for one refund or dispute that is about to. */
export async function sumReturned(
  database: Kysely<Tables>,
  paymentId: string,
  exceptId: string | null = null,
): Promise<ReturnedMoney> {
  const { rows } = await sql<ReturnedMoney>`
    select coalesce(sum(amount), 0)::bigint as amount, coalesce(sum(tax), 0)::bigint as tax from (
      select id, amount, tax from refunds
        where payment_id = ${paymentId} and state <> 'failed'
      union all select id, amount, tax from disputes
        where payment_id = ${paymentId} and withdrawn > returned) as returned
    where id is distinct from ${exceptId}::uuid`.execute(database)
  return rows[0]!
}
