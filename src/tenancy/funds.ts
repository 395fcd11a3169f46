/** `none` is free, `prepaid` must be covered by the balance, `postpaid` is billed later. */
export const BILLINGS = ['none', 'prepaid', 'postpaid'] as const

export type Billing = (typeof BILLINGS)[number]

/**
 * What a caller may still spend, in micro-units, according to the ledger. The ledger does not
 * include running requests; the admission script counts those.
 */
export type Funds = {
  /** `credit` is postpaid with a credit limit, and must be covered like `prepaid`. */
  readonly billing: Billing | 'credit'
  /** Total ever granted to the organization, adjustments and a credit limit included. */
  readonly granted: number
  /** Total ever spent by the organization, as posted. */
  readonly spent: number
  /** Of the project, per calendar month (UTC); null means no limit. */
  readonly spendingLimit: number | null
  /** Spent by the project this month, as posted; 0 if there is no limit. */
  readonly projectSpent: number
}

/** What an organization has and owes, in micro-units. */
type Standing = {
  readonly granted: number
  /** What its unpaid invoices amount to. */
  readonly receivable: number
  /** Null means that it may owe any amount. */
  readonly creditLimit: number | null
}

/**
 * How an organization on a plan with this billing may spend. An invoice moves money from what is
 * receivable to what was granted, so that only paying it frees credit.
 */
export function organizationFunds(
  billing: Billing,
  { granted, receivable, creditLimit }: Standing,
): Pick<Funds, 'billing' | 'granted'> {
  if (billing !== 'postpaid' || creditLimit === null) return { billing, granted }
  return { billing: 'credit', granted: granted + creditLimit - receivable }
}

/** What an organization owes: its unpaid invoices, and what it used and was not billed for yet. */
export function creditUsed(ledger: Pick<Standing, 'granted' | 'receivable'>, spent: number) {
  return Math.max(0, ledger.receivable + spent - ledger.granted)
}
