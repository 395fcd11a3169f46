import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import type { StripeObject } from '../../harness/payments/journal.ts'
import type { BookSums } from '../../harness/payments/control.ts'

const MICRO_PER_CENT = 10_000

export type Comparison = {
  readonly theirs: number
  readonly ours: number
  readonly credits: number
  readonly doublePages: number
  readonly lost: readonly string[]
  readonly surplus: readonly string[]
  readonly attention: number
  readonly ledgerSum: number
}

/** Both sides, in cents, and the payments in which they differ. */
export async function compareBooks(
  { pool }: Postgres,
  sums: BookSums,
  objects: readonly StripeObject[],
): Promise<Comparison> {
  const number = async (text: string) =>
    Number((await pool.query<{ value: string }>(text)).rows[0]?.value ?? 0)
  const { rows } = await pool.query<{ reference: string }>(
    `select reference from transfers where reference like 'payment:%'`,
  )
  const credited = rows.map(({ reference }) => reference.slice('payment:'.length))
  const pages = objects.filter(({ object }) => object === 'checkout.session')
  const idOf = (page: StripeObject) =>
    (page['metadata'] as { payment_id?: string }).payment_id ?? 'unknown'
  const paid = pages.filter((page) => page['payment_status'] === 'paid').map(idOf)
  const ours = await number(
    `select debits - credits as value from ledger_accounts where id = 'provider:stripe'`,
  )
  return {
    theirs: sums.held,
    ours: ours / MICRO_PER_CENT,
    credits: credited.length,
    doublePages: pages.length - new Set(pages.map(idOf)).size,
    lost: paid.filter((id) => !credited.includes(id)),
    surplus: credited.filter((id) => !paid.includes(id)),
    attention: await number(`select count(*) as value from payments where state = 'attention'`),
    ledgerSum: await number(`select sum(debits - credits) as value from ledger_accounts`),
  }
}
