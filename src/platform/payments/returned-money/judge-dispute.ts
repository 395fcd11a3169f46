import type { DisputeState } from '../../../contract/payments/refund-states.ts'
import type { DisputeFacts } from '../../../payments/provider.ts'
import type { Place } from './move-money.ts'

/** What is known of a dispute. */
export type KnownDispute = {
  readonly state: DisputeState
  /** What the bank has taken and given back so far, by the provider's movements of money. */
  readonly withdrawn: number
  readonly returned: number
}

/** The order in which a dispute goes through its states, so that an old answer changes nothing. */
const ORDER: readonly DisputeState[] = ['inquiry', 'open', 'lost', 'won']

/**
 * What a dispute becomes by what the provider says of it. Nothing goes back: an answer that was
 * overtaken by another one neither opens it again nor takes the money a second time.
 */
export function judgeDispute(
  before: KnownDispute | null,
  { state, withdrawn, returned }: Pick<DisputeFacts, keyof KnownDispute>,
): KnownDispute {
  if (before === null) return { state, withdrawn, returned }
  return {
    state: ORDER.indexOf(state) > ORDER.indexOf(before.state) ? state : before.state,
    withdrawn: Math.max(withdrawn, before.withdrawn),
    returned: Math.max(returned, before.returned),
  }
}

/** Where the money of a dispute is: what moved decides, not how it is called. */
export function placeOfDispute(dispute: KnownDispute | null): Place {
  return dispute !== null && dispute.withdrawn > dispute.returned ? 'provider:stripe' : 'funds'
}

/** Whether nothing more can happen: what was won has come back, too. */
export function isOverDispute({ state, withdrawn, returned }: KnownDispute): boolean {
  return state === 'lost' || (state === 'won' && withdrawn <= returned)
}
