// A refund at the payment provider, and the credit note about it. Amounts are micro-units.

export type NewRefund = {
  /** The refund's id in our tables. */
  readonly id: string
  readonly attempt: number
  /** Of the payment. */
  readonly moneyRef: string
  readonly currency: string
  /** With tax, whole minor units. */
  readonly amount: number
}

export type NewCreditNote = {
  /** The refund's id in our tables, and at the provider. */
  readonly refundId: string
  readonly refundRef: string
  readonly attempt: number
  /** Of the payment. */
  readonly invoiceRef: string
  readonly currency: string
  /** That of the refund: with tax, whole minor units. */
  readonly amount: number
}

export type SoughtCreditNote = Pick<NewCreditNote, 'refundId' | 'refundRef' | 'invoiceRef'>

export type SoughtRefund = Pick<NewRefund, 'id' | 'moneyRef'> & {
  /** The refund is not older than this. */
  readonly createdAt: Date
}

export type RefundFacts = {
  readonly ref: string
  readonly state: 'pending' | 'succeeded' | 'failed'
  /** Null if it was made at the provider, not here. */
  readonly refundId: string | null
  /** The payment's, by which it is found. */
  readonly moneyRef: string | null
  readonly currency: string
  readonly amount: number
  readonly failure: string | null
}
