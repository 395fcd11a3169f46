import { ConfigError, type Config } from '../../config/load.ts'
import type { PaymentProvider } from '../../payments/provider.ts'
import { connectStripe } from '../../payments/stripe/stripe.ts'

/** Null without payments. Without its secrets a console does not start: it could believe anyone. */
export function openPaymentProvider(
  config: Config,
  onAttempt?: (operation: string, status: string) => void,
): PaymentProvider | null {
  const { payments, stripe_key: key, stripe_webhook_secrets: webhookSecrets } = config
  if (payments === undefined) return null
  const missing = [
    ...(key === undefined ? ['HEADRACE_STRIPE_KEY is not set'] : []),
    ...(webhookSecrets.length === 0 ? ['HEADRACE_STRIPE_WEBHOOK_SECRETS is not set'] : []),
  ]
  if (key === undefined || missing.length > 0) throw new ConfigError(missing)
  return connectStripe({
    key,
    apiUrl: payments.api_url,
    webhookSecrets,
    ...(onAttempt !== undefined && { onAttempt }),
  })
}
