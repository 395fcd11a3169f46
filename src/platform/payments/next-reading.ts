import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import { isFinalPayment } from '../../contract/payments/payment-states.ts'

/**
 * For so long one process reads a payment alone. When it died, the customer waits no longer; two
 * that read at once do no harm, because the second finds under the row's lock what the first did.
 */
export const READING_LEASE_SECONDS = 10
/** After these times a page is read again if no hint came: people pay within minutes. */
const AFTER_SECONDS = [5, 30, 120, 600]
const LATER_SECONDS = 3_600
/** The provider ends a page a moment after its time. */
const EXPIRY_SECONDS = 10

/** When a payment is read again without a hint; null for not any more. */
export function nextReadingSeconds(
  { state, created_at, expires_at }: Pick<PaymentRow, 'state' | 'created_at' | 'expires_at'>,
  now: Date,
): number | null {
  if (isFinalPayment(state) || state === 'attention') return null
  const ageSeconds = (now.getTime() - created_at.getTime()) / 1000
  const next = AFTER_SECONDS.find((seconds) => seconds > ageSeconds)
  const seconds = next === undefined ? LATER_SECONDS : next - ageSeconds
  const untilExpiry = (expires_at.getTime() - now.getTime()) / 1000 + EXPIRY_SECONDS
  return untilExpiry > 0 ? Math.min(seconds, untilExpiry) : seconds
}
