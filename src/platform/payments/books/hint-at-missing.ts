import type { Kysely } from 'kysely'
import { hintAtPayment } from '../../../store/payments/payment-queue.ts'
import { findPayment } from '../../../store/payments/payments.ts'
import type { DayItem } from '../../../store/payments/books/provider-days.ts'
import { orderReading } from '../../../store/payments/provider-readings.ts'
import type { Tables } from '../../../store/postgres/tables.ts'

/** Money moved at the provider and nothing here: it is read now, as if a webhook had told it. */
export async function hintAtMissing(
  database: Kysely<Tables>,
  items: readonly DayItem[],
): Promise<void> {
  for (const { about, ref, paymentId, missing } of items) {
    if (missing === 'line') continue
    const payment = paymentId === null ? undefined : await findPayment(database, paymentId)
    // After a restore the payment may be unknown: `headrace recover payments` writes it anew.
    if (typeof payment?.ref === 'string') await hintAtPayment(database, payment.ref)
    if (about !== 'payment') await orderReading(database, about, ref)
  }
}
