/** A movement of money at the provider. */
export type MoneyLine = {
  readonly ref: string
  readonly kind: 'charge' | 'refund' | 'dispute' | 'fee' | 'payout' | 'other'
  /** What moved, in the currency of the payment. It is negative if it left us, as is a refund. */
  readonly amount: number
  readonly currency: string
  /** What the provider took for it, or gave back if it is negative, in the account's currency. */
  readonly fee: number
  readonly feeCurrency: string
  /** The refund, dispute or `moneyRef` that it is for. */
  readonly source: string | null
  /** Of the payment that is refunded or disputed; of a charge the same as `source`. */
  readonly moneyRef: string | null
  /** Our ids, as a charge carries them. Anybody with access to the account can write them. */
  readonly paymentId: string | null
  readonly organizationId: string | null
  readonly at: Date
}
