import { sql, type Kysely, type Transaction } from 'kysely'
import type { PaymentKind, PaymentState } from '../../contract/payments/payment-states.ts'
import type { PaymentRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import type { ClaimedPayment } from './payment-queue.ts'

type AdoptedPayment = Pick<
  PaymentRow,
  | 'id'
  | 'organization_id'
  | 'amount'
  | 'currency'
  | 'save_card'
  | 'card_ref'
  | 'total_max'
  | 'created_at'
  | 'expires_at'
> & { readonly kind: PaymentKind; readonly state: PaymentState; readonly ref: string }

/**
 * Writes the row of a payment that the provider has and we have lost, for whoever reads it at once:
 * it is claimed already. Undefined if there is a row.
 */
export async function adoptPayment(
  transaction: Transaction<Tables>,
  payment: AdoptedPayment,
  leaseSeconds: number,
): Promise<ClaimedPayment | undefined> {
  return transaction
    .insertInto('payments')
    .values({
      ...payment,
      started_by: null,
      next_at: sql<Date>`now()`,
      leased_until: sql<Date>`now() + ${leaseSeconds} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Those of these payments that have a row. */
export async function findPayments(
  database: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PaymentRow>> {
  const rows = await database
    .selectFrom('payments')
    .selectAll()
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Those of these organizations that can be credited. */
export async function findExisting(
  database: Kysely<Tables>,
  organizationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('organizations')
    .select('id')
    .where(sql<boolean>`id = any(${[...organizationIds]}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
