/** Where a refund is. A bank may still send back what has `succeeded`: then it is `failed`. */
export const REFUND_STATES = [
  /** Committed here, and its money is held; the provider may or may not know it. */
  'requested',
  /** The provider works on it. */
  'pending',
  /** The customer has the money. */
  'succeeded',
  /** Refused, or sent back. The money is where it came from. */
  'failed',
] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** What became of the credit note of a refund. */
export const NOTE_STATES = [
  /** The provider is asked to write it, until it answers. */
  'owed',
  'made',
  /** The provider refused, so the invoice still stands in full. */
  'refused',
] as const
export type NoteState = (typeof NOTE_STATES)[number]

/** Where a dispute is. Its end may come with the money, or before it. */
export const DISPUTE_STATES = [
  /** The bank asks; no money was moved. */
  'inquiry',
  /** The bank has taken the money. */
  'open',
  /** The bank keeps it. */
  'lost',
  /** It was given back, or never taken. */
  'won',
] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]
