/** `none` is free, `prepaid` must be covered by the balance, `postpaid` is billed later. */
export const BILLINGS = ['none', 'prepaid', 'postpaid'] as const

export type Billing = (typeof BILLINGS)[number]

/**
 * What a caller may still spend, in micro-units, according to the ledger. The ledger does not
 * include running requests; the admission script counts those.
 */
export type Funds = {
  readonly billing: Billing
  /** Total ever granted to the organization, adjustments included. */
  readonly granted: number
  /** Total ever spent by the organization, as posted. */
  readonly spent: number
  /** Of the project, per calendar month (UTC); null means no limit. */
  readonly spendingLimit: number | null
  /** Spent by the project this month, as posted; 0 if there is no limit. */
  readonly projectSpent: number
}
