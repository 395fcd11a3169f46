/** What was paid and what was given back of it before, in the same units. */
export type PaidAndReturned = {
  readonly net: number
  readonly tax: number
  readonly returned: number
  /** The tax in what was returned. */
  readonly returnedTax: number
}

/**
 * The tax in an amount that goes back: the rounded share of all that was returned so far, less what
 * was returned before. So the parts add up to the tax when all is returned, in whatever steps, and
 * never exceed it. Amounts are whole minor units.
 */
export function taxPartOf(
  amount: number,
  { net, tax, returned, returnedTax }: PaidAndReturned,
): number {
  const paid = net + tax
  const share = roundedShare(tax, Math.min(returned + amount, paid), paid) - returnedTax
  // A bank may take more than what is left: there is no more tax in it than was paid.
  const most = Math.min(amount, tax - returnedTax)
  return Math.min(Math.max(share, 0), most)
}

/** `whole * part / all`, rounded half up. The product may be larger than a number can be. */
function roundedShare(whole: number, part: number, all: number): number {
  return Number((2n * BigInt(whole) * BigInt(part) + BigInt(all)) / (2n * BigInt(all)))
}
