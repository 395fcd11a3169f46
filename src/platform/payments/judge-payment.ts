import { HOUR_MS } from '../../lib/time.ts'
import type { PaymentFacts } from '../../payments/provider.ts'
import type { PaymentKind, PaymentState } from '../../contract/payments/payment-states.ts'

/** What is known here of a payment. */
export type KnownPayment = {
  readonly id: string
  readonly kind: PaymentKind
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
  /** Why a charge of a saved card was given up, or the last decline of a page. */
  readonly failure: string | null
  /** The most that a saved card is charged, with tax; null for a page. */
  readonly totalMax: number | null
  readonly createdAt: Date
  /** Of an invoice that is issued: what was added to it. */
  readonly tax: number | null
  /** What an operator has decided about an invoice, that the provider shall know, too. */
  readonly settle: 'paid' | 'written_off' | null
}

/** Field → ours and theirs. */
export type Differences = Readonly<Record<string, readonly [string, string]>>

export type Judgement =
  | { readonly kind: 'stay' }
  /** Its invoice is written and stored: the saved card is charged now. */
  | { readonly kind: 'pay' }
  /** The draft of an invoice is complete and stored: now it can be paid. */
  | { readonly kind: 'finalize' }
  /** The provider must learn first what an operator has decided. Then it is read again. */
  | { readonly kind: 'settle'; readonly how: 'paid' | 'written_off' }
  /**
   * The provider must end it first. Then it is read again, because a payment may have crossed. The
   * failure is stored before, so that whoever goes on knows why it was ended.
   */
  | { readonly kind: 'cancel'; readonly failure: string | null }
  | { readonly kind: 'move'; readonly to: PaymentState; readonly differences?: Differences }

const STAY: Judgement = { kind: 'stay' }

/** The provider forgets idempotency keys after 24 hours, and its pages end then. */
export const OPEN_MS_MAX = 23 * HOUR_MS

/** The failure of a charge whose tax would have made it exceed its bound. */
export const ABOVE_BOUND = 'above_bound'

/** The failure of a charge for which the provider would have taken more or less than its total. */
export const OTHER_AMOUNT = 'other_amount'

/** The failure of a charge that the provider failed at. It may pass, as some declines do. */
export const PROVIDER_FAILED = 'provider_error'

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
  if (payment.kind === 'invoice') return judgeInvoice(payment, facts)
  switch (facts.state) {
    case 'processing':
      return moveTo(state, 'processing')
    case 'expired':
    case 'uncollectible':
      return { kind: 'move', to: hasFailed(payment, facts) ? 'failed' : 'expired' }
    case 'declined':
    case 'needs_customer':
    case 'draft':
    case 'open':
      return judgeUnpaid(payment, facts, now)
  }
}

/** A charge that waited for its customer has expired, whatever the bank said before. */
function hasFailed({ kind, state, failure }: KnownPayment, facts: PaymentFacts): boolean {
  const isCharge = kind === 'automatic' && state !== 'needs_customer'
  return isCharge && (failure ?? facts.failure) !== null
}

function judgeUnpaid(payment: KnownPayment, facts: PaymentFacts, now: Date): Judgement {
  const { kind, state, cancel, createdAt } = payment
  const isOld = now.getTime() - createdAt.getTime() > OPEN_MS_MAX
  if (cancel || isOld) return { kind: 'cancel', failure: null }
  if (kind === 'automatic') return judgeCharge(payment, facts)
  // On a page the customer may try another card.
  return state === 'created' ? { kind: 'move', to: 'open' } : STAY
}

/**
 * An invoice waits for its customer however old it is. Void at the provider is `expired` here, and
 * what was written off there is `failed`.
 */
function judgeInvoice(payment: KnownPayment, facts: PaymentFacts): Judgement {
  const { state, cancel, settle } = payment
  if (facts.state === 'expired') return { kind: 'move', to: 'expired' }
  if (cancel) return { kind: 'cancel', failure: null }
  const differences = differencesOf(payment, facts)
  if (Object.keys(differences).length > 0) return { kind: 'move', to: 'attention', differences }
  if (facts.state === 'draft') return { kind: 'finalize' }
  if (settle === 'paid') return { kind: 'settle', how: settle }
  if (facts.state === 'uncollectible') return { kind: 'move', to: 'failed' }
  if (settle !== null) return { kind: 'settle', how: settle }
  // A customer may try one card after the other, and confirm each of them, on the page.
  return moveTo(state, facts.state === 'processing' ? 'processing' : 'open')
}

/** No bank is asked twice: what was declined is ended. Who must confirm has a link to do so. */
function judgeCharge({ state, totalMax }: KnownPayment, facts: PaymentFacts): Judgement {
  if (state === 'needs_customer') return STAY
  if (facts.state === 'needs_customer') return { kind: 'move', to: 'needs_customer' }
  if (facts.state === 'declined') return { kind: 'cancel', failure: facts.failure ?? 'declined' }
  if (facts.total > (totalMax ?? 0)) return { kind: 'cancel', failure: ABOVE_BOUND }
  if (facts.asked !== facts.total) return { kind: 'cancel', failure: OTHER_AMOUNT }
  return state === 'processing' ? STAY : { kind: 'pay' }
}

function moveTo(from: PaymentState, to: PaymentState): Judgement {
  return from === to ? STAY : { kind: 'move', to }
}

function judgePaid(payment: KnownPayment, facts: PaymentFacts): Judgement {
  const differences = differencesOf(payment, facts)
  if (Object.keys(differences).length === 0) return { kind: 'move', to: 'succeeded' }
  return { kind: 'move', to: 'attention', differences }
}

/**
 * Whether its money is where the ledger will say that it is: all of it at the provider, or, of an
 * invoice only, at our bank.
 */
export function isReceived(kind: PaymentKind, { total, received, outside }: PaymentFacts): boolean {
  return received === total || (kind === 'invoice' && outside)
}

/**
 * Every fact that we can know must be ours: whose payment it is, how much, and in what. What was
 * paid must have been received, and what was not must be asked for; a draft asks for nothing yet.
 */
function differencesOf(payment: KnownPayment, facts: PaymentFacts): Differences {
  const pairs: Record<string, readonly [unknown, unknown]> = {
    payment_id: [payment.id, facts.paymentId],
    organization_id: [payment.organizationId, facts.organizationId],
    customer: [payment.customer, facts.customer],
    live: [payment.live, facts.live],
    currency: [payment.currency, facts.currency],
    amount: [payment.amount, facts.net],
    tax: [payment.tax ?? facts.tax, facts.tax],
    total: [facts.net + facts.tax, facts.total],
    ...(facts.state === 'paid' && !isReceived(payment.kind, facts)
      ? { received: [facts.total, facts.received] as const }
      : {}),
    ...(facts.state !== 'paid' && facts.state !== 'draft'
      ? { asked: [facts.total, facts.asked] as const }
      : {}),
  }
  const differing = Object.entries(pairs).filter(([, [ours, theirs]]) => ours !== theirs)
  return Object.fromEntries(
    differing.map(([name, [ours, theirs]]) => [name, [String(ours), String(theirs)]]),
  )
}
