import { ApiError } from '../../contract/error.ts'
import { traceError } from '../../lib/log.ts'
import { ProviderError, type ProviderFailure } from '../../payments/provider-error.ts'
import { orderPaymentReading } from '../../store/payments/payment-queue.ts'
import { storePage } from '../../store/payments/payments.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import type { PaymentRow } from '../../store/postgres/payment-tables.ts'
import type { Environment, PaymentSettings, Settings } from '../use-case/environment.ts'
import { asCustomer } from './customer/as-customer.ts'
import { providerOf } from './provider-of.ts'
import { settingsOf } from './settings-of.ts'

const DESCRIPTION = 'Credit'
/** When a page is first read without a hint. */
const FIRST_READING_SECONDS = 5

/** Failures that every repetition of the request will get. */
const SPENT: readonly ProviderFailure[] = ['key_spent', 'key_changed']

/**
 * Opens the provider's page of a payment whose row is committed. It may be repeated: the request is
 * made from the row, so that the provider gives the same page. The address leaves us only after it
 * is stored, and it is that of the row, whoever opened it.
 */
export async function openPage(
  environment: Environment,
  organization: OrganizationRow,
  payment: PaymentRow,
): Promise<PaymentRow> {
  const { database, log, settings, paymentMetrics } = environment
  try {
    const { provider } = await providerOf(environment)
    const page = {
      id: payment.id,
      organizationId: organization.id,
      currency: payment.currency,
      tax: settingsOf(settings).tax === 'provider',
      amount: payment.amount,
      description: DESCRIPTION,
      saveCard: payment.save_card,
      expiresAt: payment.expires_at,
    }
    const urls = urlsOf(billingPage(settings, organization.slug), payment.id)
    const opened = await asCustomer(environment, organization, async (customer, attempt) =>
      provider.openPage({ ...page, customer, attempt }, urls),
    )
    checkHost(settingsOf(settings), opened.url)
    const row = await storePage(database, payment.id, opened, FIRST_READING_SECONDS)
    if (row.state !== payment.state) paymentMetrics?.moved(row.kind, row.state)
    // A process that was stopped for long comes back with a page that nobody asked for any more.
    if (row.ref !== opened.ref) await provider.cancel(opened.ref)
    return row
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const organizationId = organization.id
    log.error({ organizationId, error: traceError(error) }, 'payment page not opened')
    // Nobody gets a page by this key any more: whoever finds one closes it, and the payment ends.
    if (SPENT.includes(error.failure)) await orderPaymentReading(database, payment.id)
    throw new ApiError('service_unavailable', 'The payment provider did not answer. Try again.', {
      cause: error,
      headers: { 'retry-after': '5' },
    })
  }
}

/** Where the provider's pages lead back to. */
export function billingPage(
  { console: { public_url: publicUrl } }: Settings,
  slug: string,
): string {
  return `${publicUrl.replace(/\/$/, '')}/o/${slug}/billing`
}

/** The return is one more hint: the page that it leads to asks for a check. */
function urlsOf(billing: string, id: string) {
  return { success: `${billing}?payment=${id}`, cancel: `${billing}?cancelled=${id}` }
}

/** Browsers are sent nowhere else, whatever an answer says. */
export function checkHost({ page_hosts: hosts }: PaymentSettings, url: string | null): void {
  if (url === null || (URL.canParse(url) && hosts.includes(new URL(url).hostname))) return
  throw new ProviderError('unreadable', 'the page is on no host of payments.page_hosts')
}
