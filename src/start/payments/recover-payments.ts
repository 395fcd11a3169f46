import type { Config } from '../../config/load.ts'
import type { Log } from '../../lib/log.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { ProviderError } from '../../payments/provider-error.ts'
import {
  recoverPayments as makeGood,
  type RecoveredPayments,
} from '../../platform/payments/recover/recover-payments.ts'
import { checkCurrency } from '../../store/ledger/currency.ts'
import { openPlatform } from '../open-platform.ts'
import { openPaymentProvider } from './open-provider.ts'

/** One works in a transaction, others look. */
const CONNECTIONS_MAX = 3

type RecoverPaymentsOptions = {
  readonly since: Date
  readonly dryRun: boolean
  /** Whose name the audit log has. */
  readonly by: string
  readonly log: Log
}

/** Makes payments good that a restore of PostgreSQL has lost. Needs the key of the provider. */
export async function recoverPayments(
  config: Config,
  { since, dryRun, by, log }: RecoverPaymentsOptions,
): Promise<RecoveredPayments> {
  const paymentProvider = openPaymentProvider(config)
  if (paymentProvider === null)
    throw new OperatorError('the configuration has no payments, so there are none to recover')
  const options = { connectionsMax: CONNECTIONS_MAX, paymentProvider }
  await using platform = openPlatform(config, log, options)
  await checkCurrency(platform.postgres.pool, config.currency)
  const actor = { kind: 'operator_shell', name: by, request: null } as const
  try {
    return await makeGood(platform.environment, actor, { since, dryRun })
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw new OperatorError(`the payment provider: ${error.message}`, { cause: error })
  }
}
