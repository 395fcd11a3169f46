import type { Config } from '../../../src/config/load.ts'

/** Nothing listens there, for tests in which nobody pays. */
export const NO_PROVIDER = 'http://127.0.0.1:9'

export const WEBHOOK_SECRET = 'whsec_scripted_0123456789'

/** The settings of payments as they are shipped, on another address. */
export function withPayments(config: Config, apiUrl: string): Config {
  return {
    ...config,
    payments: {
      provider: 'stripe',
      top_up_min: 5,
      top_up_max: 1000,
      automatic_minutes: 10,
      automatic_per_day: 5,
      invoice_days: 30,
      overdue_stop_days: 14,
      tax: 'none',
      page_hosts: ['127.0.0.1'],
      api_url: apiUrl,
    },
    stripe_key: 'rk_test_scripted',
    stripe_webhook_secrets: [WEBHOOK_SECRET],
  }
}
