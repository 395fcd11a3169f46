import type { Transaction } from 'kysely'
import { queueEmail } from '../../../store/payments/queued-emails.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** In the transaction of the credit, so that there is an email if and only if it was credited. */
export async function queuePaidEmail(
  transaction: Transaction<Tables>,
  { id, kind, organization_id: organizationId, amount, tax, statement_month: month }: PaymentRow,
): Promise<void> {
  const key = `paid:${id}`
  if (kind === 'invoice') {
    const facts = { amount: amount + (tax ?? 0), month: month ?? '' }
    return queueEmail(transaction, { key, kind: 'invoice_paid', organizationId, facts })
  }
  await queueEmail(transaction, { key, kind: 'payment_paid', organizationId, facts: { amount } })
}
