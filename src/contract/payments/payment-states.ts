/** Where a payment is. Of the final states only `failed` and `expired` still change: by money. */
export const PAYMENT_STATES = [
  /** Committed here; the provider may or may not know it. */
  'created',
  /** Its page is stored; the customer may pay. */
  'open',
  /** A bank is working. */
  'processing',
  /** The bank asks the owner of a saved card to confirm the charge; nothing was taken yet. */
  'needs_customer',
  /** The money was received and is in the ledger. */
  'succeeded',
  /** Declined for good. */
  'failed',
  /** Nobody paid in time, or it was cancelled. */
  'expired',
  /** The provider's facts contradict ours; nothing was credited; an operator decides. */
  'attention',
] as const

export type PaymentState = (typeof PAYMENT_STATES)[number]

/**
 * `page`: a person pays on the provider's page. `automatic`: the saved card is charged. `invoice`:
 * what a postpaid organization owes for a month; `expired` is void and `failed` written off then.
 */
export const PAYMENT_KINDS = ['page', 'automatic', 'invoice'] as const
export type PaymentKind = (typeof PAYMENT_KINDS)[number]

const FINAL: readonly PaymentState[] = ['succeeded', 'failed', 'expired']

export function isFinalPayment(state: PaymentState): boolean {
  return FINAL.includes(state)
}
