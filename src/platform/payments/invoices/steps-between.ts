import type { PaymentState } from '../../../contract/payments/payment-states.ts'

/** What became of the money of an invoice: `none` if it was not issued or is void. */
type Standing = 'none' | 'owed' | 'paid' | 'written_off'

/** Each is one or two entries in the ledger. `again` is after it was void or written off. */
export type Step = 'issue' | 'issue again' | 'expect again' | 'receive' | 'write off' | 'void'

type Invoice = { readonly state: PaymentState; readonly issued: boolean }

/**
 * What the ledger gets when an invoice changes. It is owed before anything else becomes of it, so
 * what was void or written off and is paid all the same is first owed again. No step comes twice in
 * the life of an invoice, because only money changes one that is over.
 */
export function stepsBetween(before: Invoice, after: Invoice): readonly Step[] {
  const [from, to] = [standingOf(before), standingOf(after)]
  if (from === to) return []
  return [...OWED[from](before), ...BECOMES[to]]
}

function standingOf({ state, issued }: Invoice): Standing {
  if (!issued || state === 'expired') return 'none'
  if (state === 'succeeded') return 'paid'
  return state === 'failed' ? 'written_off' : 'owed'
}

const OWED: Readonly<Record<Standing, (before: Invoice) => readonly Step[]>> = {
  none: ({ issued }) => [issued ? 'issue again' : 'issue'],
  owed: () => [],
  written_off: () => ['expect again'],
  paid: () => [],
}

const BECOMES: Readonly<Record<Standing, readonly Step[]>> = {
  none: ['void'],
  owed: [],
  paid: ['receive'],
  written_off: ['write off'],
}
