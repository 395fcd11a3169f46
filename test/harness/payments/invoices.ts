import assert from 'node:assert/strict'
import type { Pool } from 'pg'
import type { Config } from '../../../src/config/load.ts'
import { invoiceRules } from '../../../src/start/payments/invoice-rules.ts'
import { issueStatements } from '../../../src/store/ledger/issue-statements.ts'
import { waitUntil } from '../figures/measure.ts'
import { addUsage } from '../seed/billing-rows.ts'
import { ask } from '../processes/console.ts'
import { startPayingConsole, type Payer, type PayingConsole } from './paying-console.ts'

const TIMEOUT_MS = 30_000
const MICRO = 1_000_000

/** The month before this one, as 2026-10, and a moment in it. */
export const LAST_MONTH = monthBefore(new Date())
const IN_LAST_MONTH = Date.parse(`${LAST_MONTH}-10T12:00:00Z`)

function monthBefore(time: Date): string {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() - 1)).toISOString().slice(0, 7)
}

/** A console with payments, whose organizations pay afterwards. */
export async function startInvoicingConsole(
  change: (config: Config) => Config = (config) => config,
) {
  return startPayingConsole((config) =>
    change({
      ...config,
      plans: { ...config.plans, ample: { ...config.plans['ample']!, billing: 'postpaid' } },
    }),
  )
}

type Debtor = { readonly id: string; readonly projectId: string }

/** So much was used in the last month, in units of the currency. */
export async function spendLastMonth(pool: Pool, debtor: Debtor, used: number): Promise<void> {
  await pool.query(`update organizations set created_at = '2026-01-01' where id = $1`, [debtor.id])
  await addUsage(pool, debtor, Math.round(used * MICRO), IN_LAST_MONTH)
}

/** Its invoice was due so many days ago. */
export async function makeOverdue(
  pool: Pool,
  { id }: Pick<Debtor, 'id'>,
  days: number,
): Promise<void> {
  await pool.query(
    `update payments set expires_at = now() - $2 * interval '1 day' - interval '1 minute',
       read_at = null where organization_id = $1 and kind = 'invoice'`,
    [id, days],
  )
}

/** An organization that used so much in the last month, in units of the currency. */
export async function openDebtor(console_: PayingConsole, used: number): Promise<Payer> {
  const payer = await console_.openPayer()
  await spendLastMonth(console_.postgres.pool, payer.organization, used)
  return payer
}

/** As the leading worker does. Returns the invoice of an organization, if it has one. */
export async function issueFor(console_: PayingConsole, { organization }: Payer) {
  const { pool } = console_.postgres
  const rules = invoiceRules(console_.config)
  while ((await issueStatements(pool, `${LAST_MONTH}-01`, 100, rules)) === 100);
  return invoiceOf(console_, organization.id)
}

export async function invoiceOf({ postgres: { database } }: PayingConsole, organizationId: string) {
  return database
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'invoice')
    .executeTakeFirst()
}

/** Waits for the jobs of the console. */
export async function awaitInvoice(console_: PayingConsole, organizationId: string, state: string) {
  const rowOf = async () => (await invoiceOf(console_, organizationId))!
  const isThere = async () => (await rowOf())?.state === state
  await waitUntil(`an invoice ${state}`, isThere, TIMEOUT_MS, { seen: rowOf })
  return rowOf()
}

/** One that is open at the provider, and can be paid there. */
export async function openInvoiced(console_: PayingConsole, used: number) {
  const payer = await openDebtor(console_, used)
  assert.ok(await issueFor(console_, payer), 'nothing is owed')
  const invoice = await awaitInvoice(console_, payer.organization.id, 'open')
  return { ...payer, id: invoice.id, ref: invoice.ref! }
}

/** Sums of the accounts that an organization and its invoices touch, in units. */
export async function accountsOf({ postgres: { pool } }: PayingConsole, organizationId: string) {
  const { rows } = await pool.query<{ name: string; sum: string }>(
    `select split_part(id, ':', 1) as name, ((credits - debits) / 1000000.0)::float8 as sum
     from ledger_accounts where organization_id = $1`,
    [organizationId],
  )
  return Object.fromEntries(rows.map(({ name, sum }) => [name, Number(sum)]))
}

/**
 * Debit, credit and amount of each transfer of an invoice, oldest first. Ids of one millisecond
 * are in no order: then the net amount is before its tax, and what was received is last.
 */
export async function entriesOf(
  { postgres: { pool } }: PayingConsole,
  id: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ entry: string }>(
    `select split_part(debit_account, ':', 1) || ' → ' || split_part(credit_account, ':', 1)
       || ' ' || amount / 1000000.0::float8 || ' ' || replace(reference, $1, 'id') as entry
     from transfers where reference like '%' || $1 || '%'
     order by left(id::text, 13), kind, reference collate "C" desc`,
    [id],
  )
  return rows.map(({ entry }) => entry)
}

type Shown = {
  readonly state: string
  readonly due_at: string | null
  readonly url: string | null
  readonly total: string | null
}

/** What an organization sees of the statement of the last month. */
export async function statementOf(payer: Pick<Payer, 'get'>): Promise<Shown> {
  const { body } = await payer.get('/statements')
  const { data } = body as unknown as {
    data: { month: string; total: { amount: string } | null }[]
  }
  const found = data.find(({ month }) => month === LAST_MONTH)
  assert.ok(found !== undefined, 'no statement')
  return { ...(found as unknown as Shown), total: found.total?.amount ?? null }
}

/** An operator decides about an invoice, after a confirmation of who that is. */
export async function decide(
  console_: PayingConsole,
  id: string,
  does: 'mark-paid' | 'void' | 'write-off',
  { confirmed = true } = {},
) {
  const { as } = await console_.openPerson({ platformRole: 'operator', confirmed })
  const path = `/operator/invoices/${id}/${does}`
  return ask(console_.root, 'POST', path, { as, body: { reason: 'as agreed' } })
}

/** Delivers the webhook of what happened last to an object at the provider. */
export async function tell(console_: PayingConsole, ref: string): Promise<void> {
  const event = (await console_.control.events()).findLast(({ data }) => data.object.id === ref)
  assert.equal(await console_.send(console_.sign(event!)), 200)
}
