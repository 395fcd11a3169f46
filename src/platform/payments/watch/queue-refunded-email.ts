import type { Transaction } from 'kysely'
import { queueEmail } from '../../../store/payments/queued-emails.ts'
import type { RefundRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** In the transaction in which a refund succeeds, whoever has made it. */
export async function queueRefundedEmail(
  transaction: Transaction<Tables>,
  { id, organization_id: organizationId, amount, tax }: RefundRow,
): Promise<void> {
  await queueEmail(transaction, {
    key: `refunded:${id}`,
    kind: 'payment_refunded',
    organizationId,
    facts: { amount, net: amount - tax },
  })
}
