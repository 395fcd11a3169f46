import type { HintHeaders } from '../../payments/provider.ts'
import { noteEvent } from '../../store/payments/provider-events.ts'
import type { Environment } from '../use-case/environment.ts'

/**
 * Notes what a webhook is about. Returns false if it is forged. It never changes a payment: it
 * makes somebody read it at the provider.
 */
export async function receiveHint(
  { database, paymentProvider }: Pick<Environment, 'database' | 'paymentProvider'>,
  raw: Buffer,
  headers: HintHeaders,
): Promise<boolean> {
  const hint = paymentProvider?.readHint(raw, headers) ?? null
  if (hint === null) return false
  if (hint.about !== 'other') await noteEvent(database, hint, 'webhook')
  return true
}
