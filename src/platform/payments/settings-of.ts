import { notFound } from '../use-case/authorize.ts'
import type { PaymentSettings, Settings } from '../use-case/environment.ts'

/** Without payments there is nothing of them. */
export function settingsOf({ payments }: Pick<Settings, 'payments'>): PaymentSettings {
  if (payments === undefined) throw notFound()
  return payments
}
