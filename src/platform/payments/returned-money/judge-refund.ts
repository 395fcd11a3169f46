import type { RefundState } from '../../../contract/payments/refund-states.ts'
import type { RefundFacts } from '../../../payments/refund.ts'
import type { Place } from './move-money.ts'

/** The order in which a refund goes through its states, so that an old answer changes nothing. */
const ORDER: readonly RefundState[] = ['requested', 'pending', 'succeeded', 'failed']

/**
 * What a refund becomes by what the provider says of it. Null is one that nobody knows here: it was
 * made in the provider's dashboard.
 */
export function judgeRefund(before: RefundState | null, facts: RefundFacts['state']): RefundState {
  if (before === null) return facts
  return ORDER.indexOf(facts) > ORDER.indexOf(before) ? facts : before
}

/** Where the money of a refund is. */
export function placeOfRefund(state: RefundState | null): Place {
  if (state === 'requested' || state === 'pending') return 'refunds_pending'
  return state === 'succeeded' ? 'provider:stripe' : 'funds'
}
