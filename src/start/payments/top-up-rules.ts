import type { Config } from '../../config/load.ts'
import type { TopUpRules } from '../../store/payments/start-top-ups.ts'

/** Micro-units of a unit of the currency. */
const MICRO = 1_000_000

/** By what automatic top-ups are started with this configuration; undefined without payments. */
export function topUpRules({
  payments,
  plans,
  currency,
}: Pick<Config, 'payments' | 'plans' | 'currency'>): TopUpRules | undefined {
  if (payments === undefined) return undefined
  const prepaid = Object.entries(plans).filter(([, { billing }]) => billing === 'prepaid')
  return {
    currency,
    prepaidPlans: prepaid.map(([name]) => name),
    chargeMax: payments.top_up_max * MICRO,
    pauseMinutes: payments.automatic_minutes,
    perDay: payments.automatic_per_day,
  }
}
