import type { Config } from '../../config/load.ts'
import type { Meter } from '../../lib/meter.ts'
import { OPERATIONS } from '../../payments/stripe/requests/name-operation.ts'
import {
  createPaymentMetrics,
  type PaymentMetrics,
} from '../../platform/payments/watch/payment-metrics.ts'

/** Null without payments: nothing of them is on the page then. */
export function openPaymentMetrics({ payments }: Config, meter: Meter): PaymentMetrics | null {
  return payments === undefined ? null : createPaymentMetrics(meter, OPERATIONS)
}
