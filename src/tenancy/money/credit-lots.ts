// Money that expires is in lots; the rest of the balance is what is in none. Lots are given in the
// order in which usage takes from them: those that expire first come first. Amounts are in
// micro-units.

export type Lot = {
  readonly remaining: number
  /** What the organization had spent when its lots were last settled: the same in all of them. */
  readonly attributed: number
}

export type Posted = { readonly spent: number; readonly balance: number }

/**
 * What usage since then has left of the lots. Whatever else lowers the balance takes from the rest,
 * and from lots only what the rest does not have: lots are never more than the balance. It does not
 * matter when usage is taken from lots, as long as nothing else has changed them: so this is done
 * only when something does, or is read.
 */
export function settleLots<L extends Lot>(lots: readonly L[], { spent, balance }: Posted): L[] {
  // A replaced record can lower what was spent. That adds to the rest.
  const used = Math.max(0, spent - (lots[0]?.attributed ?? spent))
  const missing = sumOf(lots) - Math.max(0, balance)
  let taken = Math.max(used, missing)
  return lots.map((lot) => {
    const part = Math.max(0, Math.min(lot.remaining, taken))
    taken -= part
    return { ...lot, remaining: lot.remaining - part, attributed: spent }
  })
}

/**
 * What can be taken back of each settled lot that is over. What running requests hold, and what is
 * used and not posted yet, counts against the lots first: they keep that much for now.
 */
export function takeExpired(
  lots: readonly { readonly remaining: number; readonly isOver: boolean }[],
  pending: number,
): number[] {
  let held = pending
  return lots.map(({ remaining, isOver }) => {
    const kept = Math.min(remaining, held)
    held -= kept
    return isOver ? remaining - kept : 0
  })
}

export function sumOf(lots: readonly { readonly remaining: number }[]): number {
  return lots.reduce((sum, { remaining }) => sum + remaining, 0)
}
