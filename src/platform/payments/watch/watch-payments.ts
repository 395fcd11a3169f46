import { sumPayments } from '../../../store/payments/payment-sums.ts'
import type { Environment } from '../../use-case/environment.ts'
import { alertBySums } from './alert-operators.ts'
import type { PaymentMetrics } from './payment-metrics.ts'

/** Reads the figures of all payments for the metrics, and tells operators of what is wrong. */
export async function watchPayments(
  { database, paymentProvider }: Pick<Environment, 'database' | 'paymentProvider'>,
  metrics: PaymentMetrics,
): Promise<boolean> {
  const sums = await sumPayments(database, paymentProvider?.paidTypes ?? [])
  metrics.record(sums)
  await alertBySums({ database }, sums, metrics.forgedLately())
  return false
}
