/** Amounts in micro-units. */
export type TopUpGap = {
  readonly balance: number
  readonly threshold: number
  /** A charge is a whole multiple of it. */
  readonly amount: number
  /** The most of one charge, without tax. */
  readonly chargeMax: number
  /** What may still be charged in this month, with tax. */
  readonly left: number
  /** What tax adds to an amount of 1, as far as it is known. */
  readonly taxShare: number
}

/**
 * What is charged: the smallest multiple of the amount that reaches the threshold, so that one
 * charge closes the gap, or as much of it as the bounds allow. 0 if not even once the amount fits.
 */
export function chargeFor(gap: TopUpGap): number {
  const { balance, threshold, amount, chargeMax, left, taxShare } = gap
  const missing = threshold - balance
  if (missing <= 0) return 0
  const wanted = Math.ceil(missing / amount)
  const times = Math.min(
    wanted,
    Math.floor(chargeMax / amount),
    Math.floor(left / (amount * (1 + taxShare))),
  )
  return Math.max(0, times) * amount
}
