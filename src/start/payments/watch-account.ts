import { setTimeout as pause } from 'node:timers/promises'
import { traceError } from '../../lib/log.ts'
import { providerOf } from '../../platform/payments/provider-of.ts'
import type { Environment } from '../../platform/use-case/environment.ts'
import { WrongProviderAccount } from '../../store/payments/provider-account.ts'

const RETRY_MS = 30_000

/**
 * Ends a process whose key belongs to another account than that of the ledger, as soon as the
 * provider says so. Until then nothing else is asked of it.
 */
export async function watchProviderAccount(
  environment: Environment,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      await providerOf(environment)
      return
    } catch (error) {
      if (error instanceof WrongProviderAccount) {
        console.error(error.message)
        process.exit(error.exitCode)
      }
      environment.log.warn({ error: traceError(error) }, 'payment provider not reached')
    }
    await pause(RETRY_MS, undefined, { ref: false, signal: stopping }).catch(() => {})
  }
}
