import type { Transaction } from 'kysely'
import { openFunds } from '../../../store/ledger/double-entry.ts'
import { postTransfers, type Transfer } from '../../../store/ledger/post-transfers.ts'
import { sumReturned } from '../../../store/payments/returned-money.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import { raiseVersions, type RaisedVersion } from '../../../store/tenants/versions.ts'
import { fromMinor, toMinor } from '../../../tenancy/money/minor-units.ts'
import { TAX_ACCOUNT } from '../ledger-names.ts'
import { PAYMENTS } from '../system-actor.ts'
import { taxPartOf } from './tax-part.ts'

/** Where money that may go back is: with the organization, held for it, or out of the house. */
export type Place = 'funds' | 'refunds_pending' | 'provider:stripe'

/** A refund or a dispute whose money moves. */
export type MovedThing = {
  readonly about: 'refund' | 'dispute'
  readonly id: string
  readonly amount: number
  readonly tax: number
  readonly moves: number
}

export type Moved = {
  readonly tax: number
  readonly moves: number
  readonly raised: readonly RaisedVersion[]
}

/**
 * Moves the money of a refund or a dispute from one place to another: net and tax are two
 * transfers, whose references are counted, so that none is written twice. The tax in it is
 * calculated when it leaves the organization, and returns as it left. Whoever calls it has locked
 * the payment.
 */
export async function moveMoney(
  transaction: Transaction<Tables>,
  payment: PaymentRow,
  thing: MovedThing,
  [from, to]: readonly [Place, Place],
): Promise<Moved> {
  if (from === to) return { tax: thing.tax, moves: thing.moves, raised: [] }
  const raised = await raiseVersions(transaction, [payment.organization_id])
  const tax = from === 'funds' ? await taxIn(transaction, payment, thing) : thing.tax
  const funds = await openFunds(transaction, payment.organization_id)
  const moves = thing.moves + 1
  const reference = `${thing.about}:${thing.id}:${moves}`
  const side = (place: Place, own: string) => (place === 'funds' ? own : place)
  const transfer = (own: string, amount: number, named: string): Transfer => ({
    debit: side(from, own),
    credit: side(to, own),
    amount,
    kind: thing.about,
    reference: named,
    madeBy: PAYMENTS.label,
    reason: thing.about,
  })
  const parts = [
    transfer(funds, thing.amount - tax, reference),
    transfer(TAX_ACCOUNT, tax, `${reference}:tax`),
  ]
  await postTransfers(
    transaction,
    parts.filter(({ amount }) => amount > 0),
  )
  return { tax, moves, raised }
}

async function taxIn(
  transaction: Transaction<Tables>,
  { id, amount: net, tax, currency }: PaymentRow,
  thing: MovedThing,
): Promise<number> {
  const before = await sumReturned(transaction, id, thing.id)
  const minor = (micro: number) => toMinor(currency, micro)
  const part = taxPartOf(minor(thing.amount), {
    net: minor(net),
    tax: minor(tax ?? 0),
    returned: minor(before.amount),
    returnedTax: minor(before.tax),
  })
  return fromMinor(currency, part)
}
