import { ApiError } from '../../contract/error.ts'
import { ProviderError } from '../../payments/provider-error.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineFlow } from '../use-case/use-case.ts'
import { findOwnPayment } from './find-own.ts'
import { providerOf } from './provider-of.ts'

/**
 * The address of the provider's invoice or receipt. Whoever has it sees the document without
 * signing in, so it is not stored, and keys and support do not get it.
 */
export const showDocument = defineFlow(
  { action: 'payment.document', permission: 'payments:write' },
  async (
    { environment, access },
    { payment }: { readonly payment: string },
  ): Promise<{ readonly url: string }> => {
    const row = await findOwnPayment(environment.database, access.organization.id, payment)
    if (row.state !== 'succeeded' || row.ref === null) throw notFound()
    try {
      const { provider } = await providerOf(environment)
      const { documentUrl } = await provider.read(row.ref)
      if (documentUrl === null) throw notFound()
      return { url: documentUrl }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw new ApiError('service_unavailable', 'The payment provider did not answer. Try again.', {
        cause: error,
        headers: { 'retry-after': '5' },
      })
    }
  },
)
