import type { PaymentProvider } from '../../../payments/provider.ts'
import { matchesProviderAccount } from '../../../store/payments/provider-account.ts'
import type { Environment } from '../../use-case/environment.ts'
import { defineFlow } from '../../use-case/use-case.ts'
import { providerOf } from '../provider-of.ts'
import { findLost } from './find-lost.ts'
import { recoverPayment, type RecoveredPayment } from './recover-payment.ts'
import { recoverReturned, type RecoveredReturn } from './recover-returned.ts'

export type RecoveredPayments = {
  readonly payments: readonly RecoveredPayment[]
  readonly returned: readonly RecoveredReturn[]
}

type Input = {
  /** Not later than the time to which the tables were restored. */
  readonly since: Date
  /** Only says what there is to do. */
  readonly dryRun: boolean
}

/**
 * Makes payments good that the provider knows and we do not, because our tables were restored to an
 * earlier time. May be repeated: what is credited is known, and known once.
 */
export const recoverPayments = defineFlow(
  { action: 'payment.recover', permission: 'platform:write' },
  async ({ environment, access }, input: Input): Promise<RecoveredPayments> => {
    const provider = await openProvider(environment, input)
    const payments: RecoveredPayment[] = []
    for (const lost of await findLost(environment.database, provider, input.since))
      payments.push(await recoverPayment(environment, access.actor, lost, input))
    return { payments, returned: await recoverReturned(environment, provider, input) }
  },
)

/** A dry run does not decide either to which account the ledger belongs. */
async function openProvider(environment: Environment, { dryRun }: Input): Promise<PaymentProvider> {
  const { database, paymentProvider } = environment
  if (!dryRun || paymentProvider === null) return (await providerOf(environment)).provider
  await matchesProviderAccount(database, await paymentProvider.readAccount())
  return paymentProvider
}
