import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import type { StripeObject } from '../../harness/payments/journal.ts'

/** Payments of which something went back that must not have, and what is not over yet. */
export type ReturnedComparison = {
  /** Why a payment is wrong. */
  readonly wrong: readonly string[]
  readonly unfinished: number
  readonly refunds: number
  readonly disputes: number
  readonly creditNotes: number
}

type Row = {
  id: string
  net: number
  tax: number
  funds: number
  taxed: number
  refunded: number
  taken: number
  parts: number
}

/** Each payment with what was moved for it, in cents, and what its refunds and disputes say. */
const ROWS = `
  with returned as (
    select payment_id, 'refund:' || id as own, amount, tax, state <> 'failed' as out,
        true as is_refund from refunds
    union all select payment_id, 'dispute:' || id, amount, tax, withdrawn > returned, false
      from disputes)
  select payments.id, payments.amount / 10000 as net, coalesce(payments.tax, 0) / 10000 as tax,
    coalesce((select sum(case when credit_account like 'funds:%' then transfers.amount
        when debit_account like 'funds:%' then -transfers.amount else 0 end)
      from transfers join returned on starts_with(reference, own) where payment_id = payments.id),
      0)::bigint / 10000 as funds,
    coalesce((select sum(case when credit_account = 'tax' then transfers.amount
        when debit_account = 'tax' then -transfers.amount else 0 end)
      from transfers join returned on starts_with(reference, own) where payment_id = payments.id),
      0)::bigint / 10000 as taxed,
    coalesce((select sum(amount) from returned where payment_id = payments.id and out
      and is_refund), 0)::bigint / 10000 as refunded,
    coalesce((select sum(amount) from returned where payment_id = payments.id and out), 0)::bigint
      / 10000 as taken,
    coalesce((select sum(returned.tax) from returned where payment_id = payments.id and out),
      0)::bigint / 10000 as parts
  from payments where exists (select from returned where payment_id = payments.id)`

/** Refunds that were asked for here and leave an invoice that is lower by them. */
const NOTED = `
  select refunds.ref, refunds.amount / 10000 as amount from refunds
  join payments on payments.id = payment_id
  where requested_by is not null and refunds.state = 'succeeded' and invoice_ref is not null`

const UNFINISHED = `
  select (select count(*) from refunds where state in ('requested', 'pending'))
    + (select count(*) from refunds where note = 'owed' and state = 'succeeded')
    + (select count(*) from disputes where state in ('inquiry', 'open'))
    + (select count(*) from disputes where state = 'won' and withdrawn > returned)
    + (select count(*) from provider_readings) as value`

/**
 * Checks each payment against the rules (no more goes back than was paid, the parts of tax add up,
 * a dispute that was won is as if it had never been) and the rows against the provider's objects.
 * Each refund that was asked for here has one credit note of its amount.
 */
export async function compareReturned(
  { pool }: Postgres,
  objects: readonly StripeObject[],
): Promise<ReturnedComparison> {
  const { rows } = await pool.query<Row>(ROWS)
  const known = await pool.query<{ ref: string; state: string; amount: string }>(
    `select ref, state, amount / 10000 as amount from refunds where ref is not null
     union all select ref, state, amount / 10000 from disputes`,
  )
  const theirs = objects.filter(({ object }) => object === 'refund' || object === 'dispute')
  const stateOf = new Map(known.rows.map(({ ref, state, amount }) => [ref, `${state} ${amount}`]))
  const missing = theirs.filter((each) => {
    const state = String(each['status']).replace('warning_closed', 'won')
    return stateOf.get(each.id) !== `${state} ${String(each['amount'])}`
  })
  const notes = notesIn(objects)
  const noted = await pool.query<{ ref: string; amount: number }>(NOTED)
  const unfinished = await pool.query<{ value: string }>(UNFINISHED)
  return {
    wrong: [
      ...rows.flatMap((row) => faultsOf(numbers(row)).map((fault) => `${row.id}: ${fault}`)),
      ...missing.map(({ id, status }) => `${id} is ${String(status)} there, not here`),
      ...noted.rows
        .filter(({ ref, amount }) => notes.get(ref)?.join() !== String(amount))
        .map(({ ref, amount }) => `${ref}: credit notes ${notes.get(ref)?.join()}, not ${amount}`),
    ],
    unfinished: Number(unfinished.rows[0]?.value),
    refunds: theirs.filter(({ object }) => object === 'refund').length,
    disputes: theirs.filter(({ object }) => object === 'dispute').length,
    creditNotes: [...notes.values()].flat().length,
  }
}

/** The amounts of the credit notes of each refund. */
function notesIn(objects: readonly StripeObject[]): ReadonlyMap<string, readonly string[]> {
  const notes = new Map<string, string[]>()
  for (const note of objects.filter(({ object }) => object === 'credit_note'))
    for (const { refund } of note['refunds'] as { refund: string }[])
      notes.set(refund, [...(notes.get(refund) ?? []), String(note['amount'])])
  return notes
}

function numbers(row: Row): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    name === 'id' ? value : Number(value),
  ])
  return Object.fromEntries(entries) as Row
}

function faultsOf({ net, tax, funds, taxed, refunded, taken, parts }: Row): string[] {
  const paid = net + tax
  return [
    ...(refunded > paid ? [`refunded ${refunded} of ${paid}`] : []),
    ...(taken === -funds - taxed ? [] : [`${taken} are out, but ${-funds - taxed} were moved`]),
    ...(parts === -taxed ? [] : [`its parts of tax are ${parts}, moved were ${-taxed}`]),
    ...(parts < 0 || parts > tax ? [`${parts} of tax went back of ${tax}`] : []),
    // A bank that took it as well has its own part.
    ...(refunded === paid && taken === paid && parts !== tax
      ? [`all was refunded, but of tax only ${parts} of ${tax}`]
      : []),
  ]
}
