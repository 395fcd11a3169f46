import { traceError } from '../../../lib/log.ts'
import { ProviderError } from '../../../payments/provider-error.ts'
import {
  claimReading,
  claimReadings,
  orderReading,
  releaseReading,
  type About,
  type ClaimedReading,
} from '../../../store/payments/provider-readings.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { Progress } from './apply-to-payment.ts'
import { askForRefund } from './ask-for-refund.ts'
import { nextTrySeconds } from './next-try.ts'
import { observeDispute } from './observe-dispute.ts'
import { observeRefund } from './observe-refund.ts'

/** Refunds and disputes that one process reads at once. */
const BATCH_READINGS = 10
/** Longer than the provider is waited for. */
const LEASE_SECONDS = 60

const READ: Readonly<Record<About, (at: Environment, ref: string) => Promise<Progress>>> = {
  refund: observeRefund,
  dispute: observeDispute,
  async request(environment, id) {
    await askForRefund(environment, id)
    return 'over'
  },
}

/** Reads refunds and disputes that are due. Returns whether there may be more. */
export async function readDueReturned(environment: Environment): Promise<boolean> {
  const due = await claimReadings(environment.database, BATCH_READINGS, LEASE_SECONDS)
  await Promise.all(due.map(async (claimed) => read(environment, claimed)))
  return due.length === BATCH_READINGS
}

/** Reads one of them now. If somebody else does, their result is in the next answer. */
export async function readReturned(
  environment: Environment,
  about: About,
  ref: string,
): Promise<void> {
  const claimed = await claimReading(environment.database, about, ref, LEASE_SECONDS)
  if (claimed !== undefined) await read(environment, claimed)
}

/** The same for what is over here: somebody wants to know what the provider says now. */
export async function readAgain(
  environment: Environment,
  about: About,
  ref: string,
): Promise<void> {
  await orderReading(environment.database, about, ref)
  await readReturned(environment, about, ref)
}

async function read(environment: Environment, claimed: ClaimedReading): Promise<void> {
  const { about, ref, made_at: madeAt } = claimed
  let progress: Progress | 'failed' = 'failed'
  try {
    progress = await READ[about](environment, ref)
  } catch (error) {
    // What is no object of this account any more was none of ours.
    if (error instanceof ProviderError && error.failure === 'not_found') progress = 'unknown'
    environment.log.warn({ reason: about, error: traceError(error) }, 'refund or dispute not read')
  } finally {
    const next = nextTrySeconds(progress, (Date.now() - madeAt.getTime()) / 1000)
    await releaseReading(environment.database, claimed, next)
  }
}
