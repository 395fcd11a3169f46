import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { PaymentState } from '../../contract/payments/payment-states.ts'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import { isUuid } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'

export type NewPayment = Pick<
  PaymentRow,
  'id' | 'organization_id' | 'kind' | 'amount' | 'currency' | 'started_by' | 'created_at'
> & {
  readonly expires_at: Date
  readonly save_card?: boolean
  /** When it is looked for at the provider, if its page was not stored until then. */
  readonly next_at: Date
}

/** Writes the row that every request to the provider is made from. */
export async function insertPayment(
  transaction: Transaction<Tables>,
  payment: NewPayment,
): Promise<PaymentRow> {
  return transaction.insertInto('payments').values(payment).returningAll().executeTakeFirstOrThrow()
}

export async function findPayment(
  database: Kysely<Tables>,
  id: string,
): Promise<PaymentRow | undefined> {
  if (!isUuid(id)) return undefined
  return database.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** By the id under which the provider moved its money. */
export async function findPaymentByMoney(
  database: Kysely<Tables>,
  moneyRef: string,
): Promise<PaymentRow | undefined> {
  return database
    .selectFrom('payments')
    .selectAll()
    .where('money_ref', '=', moneyRef)
    .executeTakeFirst()
}

/**
 * Locks a payment, after its organization: what it becomes and what it moves is decided by whoever
 * holds both.
 */
export async function lockPayment(
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId }: Pick<PaymentRow, 'id' | 'organization_id'>,
): Promise<PaymentRow> {
  await sql`select from organizations where id = ${organizationId} for no key update`.execute(
    transaction,
  )
  return transaction
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Stores the page of a payment that waits for it. Another page of a payment is not stored. */
export async function storePage(
  database: Kysely<Tables>,
  id: string,
  { ref, url }: { readonly ref: string; readonly url: string | null },
  readAfterSeconds: number,
): Promise<PaymentRow> {
  await database
    .updateTable('payments')
    .set({
      ref,
      url,
      state: 'open',
      changed_at: sql<Date>`now()`,
      next_at: sql<Date>`now() + ${readAfterSeconds} * interval '1 second'`,
    })
    .where('id', '=', id)
    .where('state', '=', 'created')
    .where('ref', 'is', null)
    .execute()
  return database.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** What reading a payment told. Absent: it stays as it is. */
export type PaymentChange = {
  readonly state?: PaymentState
  readonly amount?: number
  readonly tax?: number
  readonly ref?: string
  readonly money_ref?: string | null
  readonly invoice_ref?: string | null
  readonly url?: string | null
  readonly cancel?: boolean
  readonly failure?: string | null
  readonly issued_at?: Date
  readonly expires_at?: Date
  readonly settle?: 'paid' | 'written_off'
  readonly resolution?: 'credit' | 'refund' | 'outside'
  readonly differences?: Readonly<Record<string, readonly [string, string]>>
}

export async function changePayment(
  transaction: Kysely<Tables>,
  id: string,
  { differences, ...change }: PaymentChange,
): Promise<PaymentRow> {
  return transaction
    .updateTable('payments')
    .set({
      ...change,
      ...(differences !== undefined && { differences: JSON.stringify(differences) }),
      ...(change.state !== undefined && { changed_at: sql<Date>`now()` }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
