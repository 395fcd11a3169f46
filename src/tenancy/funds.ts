/** `none` costs nothing, `prepaid` must be covered by a balance, `postpaid` is written down. */
export const BILLINGS = ['none', 'prepaid', 'postpaid'] as const

export type Billing = (typeof BILLINGS)[number]

/**
 * What a caller may still spend, in micro-units, as far as the books know it. What is under way is
 * not in the books yet: the admission script knows that.
 */
export type Funds = {
  readonly billing: Billing
  /** All that was ever granted to the organization, adjustments included. */
  readonly granted: number
  /** All that the organization ever spent, as posted. */
  readonly spent: number
  /** Of the project, for one calendar month (UTC); null is none. */
  readonly spendingLimit: number | null
  /** What the project spent this month, as posted; 0 where there is no limit. */
  readonly projectSpent: number
}
