import { traceError } from '../../../lib/log.ts'
import type { PaymentProvider } from '../../../payments/provider.ts'
import { ProviderError, type ProviderFailure } from '../../../payments/provider-error.ts'
import { findPaymentByMoney, lockPayment } from '../../../store/payments/payments.ts'
import { listUnreadWarnings, noteWarningRead } from '../../../store/payments/warnings.ts'
import type { Environment } from '../../use-case/environment.ts'
import { alertOfWarning } from './alert-operators.ts'
import { providerOf } from '../provider-of.ts'
import { pauseFor } from '../top-up/pause-for.ts'

const BATCH_WARNINGS = 10
const USELESS: readonly ProviderFailure[] = ['refused', 'unreadable']

/**
 * Finds out which payments banks suspect, tells operators, and pauses the automatic top-up of their
 * organizations: the next charge would be suspected as well. Banks warn hours after a payment,
 * which was read long before. Returns whether there may be more.
 */
export async function readWarnings(environment: Environment): Promise<boolean> {
  const { database } = environment
  const unread = await listUnreadWarnings(database, BATCH_WARNINGS)
  if (unread.length === 0) return false
  const { provider } = await providerOf(environment)
  for (const { id, ref } of unread) {
    const moneyRef = await readMoneyOf(environment, provider, ref)
    const found = moneyRef === null ? undefined : await findPaymentByMoney(database, moneyRef)
    await database.transaction().execute(async (transaction) => {
      if (found !== undefined) {
        const payment = await lockPayment(transaction, found)
        await pauseFor(transaction, payment, 'warning')
        await alertOfWarning(transaction, payment)
      }
      await noteWarningRead(transaction, id)
    })
  }
  return unread.length === BATCH_WARNINGS
}

/** What cannot be read must not hold up the others. Without an answer all of them wait. */
async function readMoneyOf(
  { log }: Environment,
  provider: PaymentProvider,
  ref: string,
): Promise<string | null> {
  try {
    return await provider.readWarning(ref)
  } catch (error) {
    const isUseless = error instanceof ProviderError && USELESS.includes(error.failure)
    if (!isUseless) throw error
    // The key may lack the right to read it.
    log.warn({ error: traceError(error) }, 'fraud warning not read')
    return null
  }
}
