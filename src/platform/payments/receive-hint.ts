import type { HintHeaders } from '../../payments/provider.ts'
import { noteEvent } from '../../store/payments/provider-events.ts'
import type { Environment } from '../use-case/environment.ts'

/**
 * Notes what a webhook is about. Returns false if it is forged. It never changes a payment: it
 * makes somebody read it at the provider.
 */
export async function receiveHint(
  {
    database,
    paymentProvider,
    paymentMetrics: metrics,
  }: Pick<Environment, 'database' | 'paymentProvider' | 'paymentMetrics'>,
  raw: Buffer,
  headers: HintHeaders,
): Promise<boolean> {
  const hint = paymentProvider?.readHint(raw, headers) ?? null
  if (hint === null) {
    metrics?.heard('webhook', 'forged')
    return false
  }
  if (hint.about === 'other') return true
  const isNew = await noteEvent(database, hint, 'webhook')
  metrics?.heard('webhook', isNew ? 'new' : 'repeated')
  if (isNew && hint.about === 'decline') metrics?.declined()
  return true
}
