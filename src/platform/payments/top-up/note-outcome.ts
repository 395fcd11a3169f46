import type { Transaction } from 'kysely'
import type { PauseReason } from '../../../contract/payments/automatic-top-up.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import { queueEmail } from '../../../store/payments/queued-emails.ts'
import { countFailure, forgetFailures, stopForMonth } from '../../../store/payments/top-ups.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { ABOVE_BOUND, OTHER_AMOUNT, PROVIDER_FAILED } from '../judge-payment.ts'
import { pauseFor } from './pause-for.ts'

/** Declines that may pass by themselves. Whoever repeats any other one is taken for a thief. */
const SOFT: readonly string[] = [
  'insufficient_funds',
  'processing_error',
  'try_again_later',
  PROVIDER_FAILED,
]
const SOFT_MAX = 3
/** After the first soft decline; twice as long after each further one. */
const BACKOFF_SECONDS = HOUR_MS / 1000

/**
 * What the end of a charge means for the top-ups to come, in the transaction that ends it and
 * under the organization's lock: no other charge is started in between.
 */
export async function noteOutcome(
  transaction: Transaction<Tables>,
  row: PaymentRow,
): Promise<void> {
  const { id, organization_id: organizationId, amount, state, failure } = row
  const pause = async (reason: PauseReason) => pauseFor(transaction, row, reason)
  if (state === 'succeeded') return forgetFailures(transaction, organizationId)
  if (state === 'needs_customer') return pause('confirmation')
  // Somebody has made its invoice void at the provider.
  if (state === 'expired' && row.ref !== null && !row.cancel) return pause('cancelled')
  if (state !== 'failed' || failure === null) return
  if (failure === ABOVE_BOUND) return stopForMonth(transaction, organizationId)
  if (failure === OTHER_AMOUNT) return pause('provider_balance')
  if (!SOFT.includes(failure)) return pause(row.cancel ? 'refused' : 'declined')
  const failures = await countFailure(transaction, organizationId, BACKOFF_SECONDS)
  if (failures >= SOFT_MAX) return pause('declined_often')
  if (failures === 0) return
  await queueEmail(transaction, {
    key: `top-up-failed:${id}`,
    kind: 'top_up_failed',
    organizationId,
    facts: { amount, failure },
  })
}
