import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEMO_MODEL, limitsOf } from '../environment.ts'
import { openWeb, type Web, type WebOptions } from '../browser/web.ts'
import { startMailServer } from '../servers/smtp.ts'
import { WEBHOOK_SECRET } from './payment-settings.ts'
import { controlOf, type ProviderControl } from './provider-client.ts'
import { startScriptedProvider } from './scripted-provider.ts'

/** A plan that is paid from a balance. */
export const PREPAID = {
  models: [DEMO_MODEL],
  limits: limitsOf(),
  billing: 'prepaid',
  prices: { [DEMO_MODEL]: { input: 1, output: 2 } },
} as const

/** One that is billed later. */
const POSTPAID = { ...PREPAID, billing: 'postpaid' } as const

/** What a console needs whose organizations pay on the page of a provider at `apiUrl`. */
export function paidOptions(
  apiUrl: string,
  settings: object = {},
): Pick<WebOptions, 'sections' | 'environment'> {
  return {
    sections: {
      payments: { provider: 'stripe', api_url: apiUrl, page_hosts: ['127.0.0.1'], ...settings },
    },
    environment: {
      HEADRACE_STRIPE_KEY: 'rk_test_scripted',
      HEADRACE_STRIPE_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    },
  }
}

export type PayingWeb = Web & { readonly control: ProviderControl }

/**
 * The whole service in a browser, with the plans `prepaid` and `postpaid`, and a scripted provider.
 * `payments` are settings of that section.
 */
export async function openPayingWeb({
  payments,
  mail = false,
  ...options
}: Omit<WebOptions, 'plans' | 'sections' | 'environment'> & {
  readonly payments?: object
  /** Whether emails are sent. */
  readonly mail?: boolean
} = {}): Promise<PayingWeb> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'paying-web-'))
  starting.defer(async () => rm(folder, { recursive: true, force: true }))
  const provider = starting.use(await startScriptedProvider({ journal: join(folder, 'journal') }))
  const paid = paidOptions(provider.url, payments)
  const emails = mail ? starting.use(await startMailServer()) : null
  const web = starting.use(
    await openWeb({
      ...options,
      plans: { prepaid: PREPAID, postpaid: POSTPAID },
      ...paid,
      ...(emails !== null && {
        environment: { ...paid.environment, HEADRACE_SMTP_URL: emails.url },
        console: { ...options.console, email_from: 'headrace@example.com' },
      }),
    }),
  )
  const running = starting.move()
  return {
    ...web,
    control: controlOf(provider.url),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
