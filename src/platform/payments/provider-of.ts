import { ApiError } from '../../contract/error.ts'
import type { PaymentProvider } from '../../payments/provider.ts'
import {
  checkProviderAccount,
  type ProviderAccount,
} from '../../store/payments/provider-account.ts'
import type { Environment } from '../use-case/environment.ts'

/** A provider whose key was found to belong to the account of the ledger. */
export type KnownProvider = {
  readonly provider: PaymentProvider
  readonly account: ProviderAccount
}

const known = new WeakMap<PaymentProvider, ProviderAccount>()

/**
 * The provider of this process. Before it is first asked for anything else, its account must be
 * the one that the ledger has payments of: a key of another account or mode would find nothing.
 */
export async function providerOf({
  database,
  paymentProvider: provider,
}: Pick<Environment, 'database' | 'paymentProvider'>): Promise<KnownProvider> {
  if (provider === null)
    throw new ApiError('service_unavailable', 'This process has no key of the payment provider.')
  const account = known.get(provider) ?? (await provider.readAccount())
  if (!known.has(provider)) await checkProviderAccount(database, account)
  known.set(provider, account)
  return { provider, account }
}
