import type { PaymentState } from '../../../contract/payments/payment-states.ts'
import type { PaymentFacts } from '../../../payments/provider.ts'
import type { PaymentChange } from '../../../store/payments/payments.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'

/** Whether an invoice waits for its customer. */
export function isUnpaidInvoice({ kind, state }: PaymentRow): boolean {
  return kind === 'invoice' && (state === 'open' || state === 'processing')
}

/**
 * What a reading tells of an invoice. With the first that can be paid it is issued: its tax and its
 * last day are known then, and stay. The address of its page may be another one each time.
 */
export function learnInvoice(
  { issued_at: issuedAt, expires_at: expiresAt }: PaymentRow,
  { failure, url, tax, dueAt }: PaymentFacts,
  to: PaymentState,
): PaymentChange {
  const isIssued = to !== 'expired' && to !== 'attention'
  return {
    failure,
    url,
    ...(issuedAt === null &&
      isIssued && { issued_at: new Date(), tax, expires_at: dueAt ?? expiresAt }),
  }
}
