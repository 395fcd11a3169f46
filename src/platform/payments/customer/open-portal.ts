import { ApiError } from '../../../contract/error.ts'
import { traceError } from '../../../lib/log.ts'
import { ProviderError } from '../../../payments/provider-error.ts'
import { defineFlow } from '../../use-case/use-case.ts'
import { asCustomer } from './as-customer.ts'
import { billingPage, checkHost } from '../open-page.ts'
import { providerOf } from '../provider-of.ts'
import { settingsOf } from '../settings-of.ts'

/**
 * Opens the provider's page for card, address, tax id and documents. Its address works for minutes
 * without signing in, so it is not stored, and keys and support do not get it.
 */
export const openPortal = defineFlow(
  { action: 'payment.portal', permission: 'payments:write' },
  async ({ environment, access: { organization } }): Promise<{ readonly url: string }> => {
    const { settings, log } = environment
    try {
      const { provider } = await providerOf(environment)
      const page = billingPage(settings, organization.slug)
      const url = await asCustomer(environment, organization, async (customer) =>
        provider.openPortal(customer, page),
      )
      checkHost(settingsOf(settings), url)
      return { url }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const organizationId = organization.id
      log.error({ organizationId, error: traceError(error) }, 'payment portal not opened')
      throw new ApiError('service_unavailable', 'The payment provider did not answer. Try again.', {
        cause: error,
        headers: { 'retry-after': '5' },
      })
    }
  },
)
