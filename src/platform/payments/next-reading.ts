import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import { overdueTimes } from './invoices/note-overdue.ts'
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

/** An invoice waits for weeks, and the provider tells when it is paid. */
const INVOICE_SECONDS = 6 * 3_600

/** When a payment is read again without a hint; null for not any more. */
export function nextReadingSeconds(
  {
    kind,
    state,
    created_at,
    expires_at,
  }: Pick<PaymentRow, 'kind' | 'state' | 'created_at' | 'expires_at'>,
  now: Date,
  overdueStopDays: number,
): number | null {
  if (isFinalPayment(state) || state === 'attention') return null
  const ageSeconds = (now.getTime() - created_at.getTime()) / 1000
  const next = AFTER_SECONDS.find((seconds) => seconds > ageSeconds)
  const later = kind === 'invoice' && state !== 'created' ? INVOICE_SECONDS : LATER_SECONDS
  const seconds = next === undefined ? later : next - ageSeconds
  if (kind === 'invoice') {
    const times = overdueTimes(expires_at, overdueStopDays).map((time) => time - now.getTime())
    return Math.min(seconds, ...times.filter((ms) => ms > 0).map((ms) => ms / 1000 + 1))
  }
  const untilExpiry = (expires_at.getTime() - now.getTime()) / 1000 + EXPIRY_SECONDS
  return untilExpiry > 0 ? Math.min(seconds, untilExpiry) : seconds
}
