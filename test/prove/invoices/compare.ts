import type { Pool } from 'pg'
import type { StripeObject } from '../../harness/payments/journal.ts'
import type { ProviderControl } from '../../harness/payments/provider-client.ts'
import type { Environment } from '../../harness/environment.ts'
import { compareReturned } from '../payments/compare-returned.ts'
import type { Debtor } from './debtors.ts'
import { compareLines } from './compare-lines.ts'
import { MODEL } from './stop-and-run.ts'

const MICRO_PER_CENT = 10_000
/** What an invoice of the provider is here. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  draft: ['created'],
  open: ['open'],
  paid: ['succeeded'],
  void: ['expired'],
  uncollectible: ['failed'],
}

type Row = {
  readonly id: string
  readonly organization: string
  readonly month: string
  readonly state: string
  readonly ref: string | null
  readonly amount: number
  readonly tax: number
}

/** In micro-units, by the name of an account. */
type Balances = ReadonlyMap<string, number>

export type Comparison = {
  readonly faults: readonly string[]
  readonly invoices: number
  /** In cents: what the provider holds for us, and what the ledger says that it holds. */
  readonly theirs: number
  readonly ours: number
}

/** Everything in which the provider, the ledger and the usage records differ. */
export async function compareAll(
  { postgres }: Environment,
  provider: ProviderControl,
  debtors: readonly Debtor[],
): Promise<Comparison> {
  const { pool } = postgres
  const objects = await provider.objects()
  const { held, violations } = await provider.sums()
  const theirs = objects.filter(({ object }) => object === 'invoice')
  const rows = await readRows(pool)
  const accounts = await readAccounts(pool)
  const returned = await compareReturned(postgres, objects)
  const ours = -(accounts.get('provider:stripe') ?? 0) / MICRO_PER_CENT
  return {
    invoices: rows.length,
    theirs: held,
    ours,
    faults: [
      ...(held === ours ? [] : [`the provider holds ${held} cents, our ledger says ${ours}`]),
      ...compareCounts(rows, theirs),
      ...rows.flatMap((row) => compareInvoice(row, theirs)),
      ...(await compareLines(pool, objects)),
      ...compareAccounts(accounts, theirs, await readReturned(pool)),
      ...(await compareUse(pool, debtors, theirs, accounts)),
      ...returned.wrong,
      ...(returned.unfinished > 0 ? [`${returned.unfinished} refunds and disputes last`] : []),
      ...[...new Set(violations)].map((each) => `stripe-mock refused ${each}`),
    ],
  }
}

async function readRows(pool: Pool): Promise<Row[]> {
  const { rows } = await pool.query<Row>(
    `select id, organization_id as organization, statement_month as month, state, ref,
       amount::float8, coalesce(tax, 0)::float8 as tax
     from payments where kind = 'invoice'`,
  )
  return rows
}

async function readAccounts(pool: Pool): Promise<Balances> {
  const { rows } = await pool.query<{ id: string; balance: number }>(
    'select id, (credits - debits)::float8 as balance from ledger_accounts',
  )
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}

function metadataOf(object: StripeObject): Readonly<Record<string, string>> {
  return (object['metadata'] ?? {}) as Record<string, string>
}

function repeatedIn(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}

/** Each organization has at most one invoice of a month, here and there. */
function compareCounts(rows: readonly Row[], theirs: readonly StripeObject[]): string[] {
  const finished = theirs.filter(({ status }) => status !== 'draft')
  const named = finished.map(
    (each) => `${metadataOf(each)['organization_id']} ${String(each['description'])}`,
  )
  return [
    ...repeatedIn(rows.map(({ organization, month }) => `${organization} ${month}`)).map(
      (name) => `two rows: ${name}`,
    ),
    ...repeatedIn(named).map((name) => `two invoices at the provider: ${name}`),
    ...finished
      .filter((each) => !rows.some(({ id }) => id === metadataOf(each)['payment_id']))
      .map(({ id }) => `${id} has no row`),
  ]
}

/** State and amounts of an invoice on both sides. */
function compareInvoice(row: Row, theirs: readonly StripeObject[]): string[] {
  const there = theirs.find(({ id }) => id === row.ref)
  if (there === undefined) return [`${row.id} is ${row.state}, and unknown at the provider`]
  const [status, subtotal, total] = [
    String(there['status']),
    Number(there['subtotal']) * MICRO_PER_CENT,
    Number(there['total']) * MICRO_PER_CENT,
  ]
  return [
    ...(STATES[status]?.includes(row.state) === true
      ? []
      : [`${row.id} is ${row.state}, and ${status} at the provider`]),
    ...(subtotal === row.amount && total === row.amount + row.tax
      ? []
      : [`${row.id} is ${row.amount} and ${row.tax} tax, there ${subtotal} of ${total}`]),
  ]
}

function sumOf(all: readonly StripeObject[], of: (each: StripeObject) => unknown): number {
  return all.reduce((sum, each) => sum + Number(of(each)), 0) * MICRO_PER_CENT
}

function inStatus(theirs: readonly StripeObject[], ...wanted: string[]): StripeObject[] {
  return theirs.filter(({ status }) => wanted.includes(String(status)))
}

/** What went back of invoices that were paid, in micro-units. */
type Returned = { readonly tax: number }

async function readReturned(pool: Pool): Promise<Returned> {
  const { rows } = await pool.query<{ tax: number }>(
    `select coalesce(sum(tax), 0)::float8 as tax from (
       select tax from refunds where state <> 'failed'
       union all select tax from disputes where withdrawn > returned) as parts`,
  )
  return rows[0]!
}

/** The accounts of all organizations together against the invoices of the provider. */
function compareAccounts(
  accounts: Balances,
  theirs: readonly StripeObject[],
  returned: Returned,
): string[] {
  const total = (each: StripeObject) => each['total']
  const paid = inStatus(theirs, 'paid')
  const toBank = paid.filter((each) => each['amount_paid'] === 0)
  const asked = inStatus(theirs, 'open', 'paid', 'uncollectible')
  const expected: Readonly<Record<string, number>> = {
    bank: -sumOf(toBank, total),
    losses: -sumOf(inStatus(theirs, 'uncollectible'), total),
    tax: sumOf(asked, (each) => Number(each['total']) - Number(each['subtotal'])) - returned.tax,
  }
  const sum = [...accounts.values()].reduce((all, each) => all + each, 0)
  return [
    ...(sum === 0 ? [] : [`the ledger sums to ${sum}`]),
    ...Object.entries(expected).flatMap(([name, wanted]) => {
      const found = accounts.get(name) ?? 0
      return found === wanted ? [] : [`${name} is ${found}, not ${wanted}`]
    }),
  ]
}

type Use = { readonly organization: string; readonly used: number; readonly requests: number }

// What went back of a paid invoice is owed on the balance again.
const RETURNED = `
  select organization_id as organization, sum(net)::float8 as net from (
    select organization_id, amount - tax as net from refunds where state <> 'failed'
    union all select organization_id, amount - tax from disputes where withdrawn > returned)
  as parts group by 1`

/** Each organization owes its open invoices, and all that it used was asked for or is left. */
async function compareUse(
  pool: Pool,
  debtors: readonly Debtor[],
  theirs: readonly StripeObject[],
  accounts: Balances,
): Promise<string[]> {
  const { rows: uses } = await pool.query<Use>(
    `select organization_id as organization, sum(cost)::float8 as used,
       (count(*) filter (where model = $1))::int as requests
     from usage_records group by 1`,
    [MODEL],
  )
  const { rows: back } = await pool.query<{ organization: string; net: number }>(RETURNED)
  return debtors.flatMap(({ id, granted, answered }) => {
    const own = theirs.filter((each) => metadataOf(each)['organization_id'] === id)
    const { used = 0, requests = 0 } = uses.find(({ organization }) => organization === id) ?? {}
    const { net = 0 } = back.find(({ organization }) => organization === id) ?? {}
    const asked = sumOf(inStatus(own, 'open', 'paid', 'uncollectible'), (each) => each['subtotal'])
    const owed = sumOf(inStatus(own, 'open'), (each) => each['total'])
    const receivable = -(accounts.get(`receivable:${id}`) ?? 0)
    const balance = (accounts.get(`funds:${id}`) ?? 0) + (accounts.get(`usage:${id}`) ?? 0)
    const left = granted + asked - net - used
    return [
      ...(receivable === owed ? [] : [`${id} owes ${receivable}, its open invoices are ${owed}`]),
      ...(balance === left ? [] : [`the balance of ${id} is ${balance}, not ${left}`]),
      ...(requests === answered ? [] : [`${id} got ${answered} answers, ${requests} records`]),
    ]
  })
}
