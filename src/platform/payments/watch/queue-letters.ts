import type { Transaction } from 'kysely'
import { queueLetter } from '../../../store/payments/letters.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** In the transaction of the credit, so that there is a letter if and only if it was credited. */
export async function queuePaidLetter(
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId, amount }: PaymentRow,
): Promise<void> {
  const key = `paid:${id}`
  await queueLetter(transaction, { key, kind: 'payment_paid', organizationId, facts: { amount } })
}
