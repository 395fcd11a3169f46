import type { PaymentFacts } from '../../payments/provider.ts'
import type { PaymentState } from '../../contract/payments/payment-states.ts'

/** What is known here of a payment. */
export type KnownPayment = {
  readonly id: string
  readonly organizationId: string
  readonly state: PaymentState
  readonly amount: number
  readonly currency: string
  /** The organization at the provider. */
  readonly customer: string | null
  /** Whether real money moves in the provider's account. */
  readonly live: boolean
  /** Nobody shall pay it any more. */
  readonly cancel: boolean
  readonly createdAt: Date
}

/** Field → ours and theirs. */
export type Differences = Readonly<Record<string, readonly [string, string]>>

export type Judgement =
  | { readonly kind: 'stay' }
  /** The provider must end it first. Then it is read again, because a payment may have crossed. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'move'; readonly to: PaymentState; readonly differences?: Differences }

const STAY: Judgement = { kind: 'stay' }

/** The provider forgets idempotency keys after 24 hours, and its pages end then. */
const OPEN_MS_MAX = 23 * 3_600_000

/**
 * The table of states: what a payment becomes by what the provider says of it. It depends on
 * nothing else, so it does not matter which hint led to the reading, in which order, or how often.
 */
export function judgePayment(payment: KnownPayment, facts: PaymentFacts, now: Date): Judgement {
  const { state } = payment
  if (state === 'succeeded' || state === 'attention') return STAY
  // Money that was received is always credited, also if a cancellation crossed it.
  if (facts.state === 'paid') return judgePaid(payment, facts)
  if (state === 'failed' || state === 'expired') return STAY
  switch (facts.state) {
    case 'processing':
      return moveTo(state, 'processing')
    case 'expired':
      return { kind: 'move', to: 'expired' }
    // On a page the customer may try another card.
    case 'declined':
    case 'needs_customer':
    case 'open': {
      const isOld = now.getTime() - payment.createdAt.getTime() > OPEN_MS_MAX
      if (payment.cancel || isOld) return { kind: 'cancel' }
      return state === 'created' ? { kind: 'move', to: 'open' } : STAY
    }
  }
}

function moveTo(from: PaymentState, to: PaymentState): Judgement {
  return from === to ? STAY : { kind: 'move', to }
}

function judgePaid(payment: KnownPayment, facts: PaymentFacts): Judgement {
  const differences = differencesOf(payment, facts)
  if (Object.keys(differences).length === 0) return { kind: 'move', to: 'succeeded' }
  return { kind: 'move', to: 'attention', differences }
}

/** Every fact that we can know must be ours: whose payment it is, how much, and in what. */
function differencesOf(payment: KnownPayment, facts: PaymentFacts): Differences {
  const pairs: Record<string, readonly [unknown, unknown]> = {
    payment_id: [payment.id, facts.paymentId],
    organization_id: [payment.organizationId, facts.organizationId],
    customer: [payment.customer, facts.customer],
    live: [payment.live, facts.live],
    currency: [payment.currency, facts.currency],
    amount: [payment.amount, facts.net],
    total: [facts.net + facts.tax, facts.total],
  }
  const differing = Object.entries(pairs).filter(([, [ours, theirs]]) => ours !== theirs)
  return Object.fromEntries(
    differing.map(([name, [ours, theirs]]) => [name, [String(ours), String(theirs)]]),
  )
}
