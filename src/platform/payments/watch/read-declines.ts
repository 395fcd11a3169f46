import type { PaymentProvider } from '../../../payments/provider.ts'
import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'
import { findStop, listUnreadDeclines, noteDecline } from '../../../store/payments/declines.ts'
import type { Environment } from '../../use-case/environment.ts'
import { alertOperators } from './alert-operators.ts'
import { providerOf } from '../provider-of.ts'

const BATCH_DECLINES = 10
const USELESS: readonly ProviderFailure[] = ['refused', 'unreadable']

/**
 * Finds out whose cards were declined, so that whoever tries stolen cards is stopped. The event
 * says only that there was a decline, and the provider says whose it was. Returns whether there may
 * be more.
 */
export async function readDeclines(environment: Environment): Promise<boolean> {
  const { database } = environment
  const unread = await listUnreadDeclines(database, BATCH_DECLINES)
  if (unread.length === 0) return false
  const { provider } = await providerOf(environment)
  for (const { id, ref } of unread) {
    const organizationId = await noteDecline(database, id, await readPaymentOf(provider, ref))
    if (organizationId !== null && (await findStop(database, organizationId)) !== null)
      await alertOperators(environment, 'declines', organizationId)
  }
  return unread.length === BATCH_DECLINES
}

/** What cannot be read must not hold up the others. Without an answer all of them wait. */
async function readPaymentOf(provider: PaymentProvider, ref: string): Promise<string | null> {
  try {
    return await provider.readDecline(ref)
  } catch (error) {
    const isUseless = error instanceof ProviderError && USELESS.includes(error.failure)
    if (!isUseless) throw error
    return null
  }
}
