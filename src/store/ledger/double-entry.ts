import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { ChangeRefused } from '../tenants/changes.ts'
import type { Changed } from '../tenants/changes.ts'
import type { Page } from '../postgres/page.ts'
import type { Tables, TransferKind, TransferRow } from '../postgres/tables.ts'
import { raiseVersions } from '../tenants/versions.ts'

// The books are kept in two entries: what one account gives another takes, so that all accounts
// together sum to zero at every commit. See migrations/ for what the accounts are.

function fundsAccount(organizationId: string): string {
  return `funds:${organizationId}`
}

export function usageAccount(organizationId: string): string {
  return `usage:${organizationId}`
}

/** The sum of an hour grows under its reference, so nobody else may have one of these. */
export const USAGE_REFERENCE = 'usage:'

/** A transfer that people make. What was used is booked by who posts it. */
export type Transfer = {
  readonly debit: string
  readonly credit: string
  /** In micro-units. */
  readonly amount: number
  readonly kind: Exclude<TransferKind, 'usage'>
  /** Whoever makes a transfer names it; saying it again does nothing. */
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
}

export type Transferred = { readonly transfer: TransferRow; readonly repeated: boolean }

/**
 * Writes a transfer and adds it to the sums of its two accounts, which must exist.
 *
 * It locks the two in the order of their ids, and after the row of the organization, so that no
 * two transactions wait for each other. Who books use touches none of the accounts of gifts.
 */
async function transfer(transaction: Transaction<Tables>, made: Transfer): Promise<Transferred> {
  if (made.reference.startsWith(USAGE_REFERENCE))
    throw new ChangeRefused(`a reference that begins with ${USAGE_REFERENCE} names what was used`)
  await transaction
    .selectFrom('ledger_accounts')
    .select('id')
    .where('id', 'in', [made.debit, made.credit])
    .orderBy('id')
    .forUpdate()
    .execute()
  const inserted = await transaction
    .insertInto('transfers')
    .values({
      id: uuidV7(),
      debit_account: made.debit,
      credit_account: made.credit,
      amount: made.amount,
      kind: made.kind,
      reference: made.reference,
      made_by: made.madeBy,
      reason: made.reason,
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (inserted === undefined)
    return { transfer: await findRepeated(transaction, made), repeated: true }
  await sql`
    update ledger_accounts set
      debits = debits + case when id = ${made.debit} then ${made.amount}::bigint else 0 end,
      credits = credits + case when id = ${made.credit} then ${made.amount}::bigint else 0 end
    where id in (${made.debit}, ${made.credit})`.execute(transaction)
  return { transfer: inserted, repeated: false }
}

/** A reference that stands for something else is a mistake, and not a repetition. */
async function findRepeated(
  transaction: Transaction<Tables>,
  made: Transfer,
): Promise<TransferRow> {
  const row = await transaction
    .selectFrom('transfers')
    .selectAll()
    .where('reference', '=', made.reference)
    .executeTakeFirstOrThrow()
  const same =
    row.debit_account === made.debit &&
    row.credit_account === made.credit &&
    row.amount === made.amount &&
    row.kind === made.kind
  if (same) return row
  throw new ChangeRefused('another transfer has this reference already')
}

export type Balance = {
  /** All that was ever granted, adjustments included, in micro-units. */
  readonly granted: number
  /** All that was spent, as posted. */
  readonly spent: number
  readonly balance: number
}

export async function balanceOf(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<Balance> {
  const funds = fundsAccount(organizationId)
  const usage = usageAccount(organizationId)
  const rows = await database
    .selectFrom('ledger_accounts')
    .select(['id', 'debits', 'credits'])
    .where('id', 'in', [funds, usage])
    .execute()
  const gained = (id: string) => {
    const row = rows.find((each) => each.id === id)
    return row === undefined ? 0 : row.credits - row.debits
  }
  const granted = gained(funds)
  const spent = 0 - gained(usage)
  return { granted, spent, balance: granted - spent }
}

/** The program counts in whole numbers up to 2^53, and stays well away from them. */
const GRANTED_MAX = 1_000_000_000_000_000

/** A grant or an adjustment, made by a person. A negative amount takes away. */
export type Gift = {
  readonly organizationId: string
  readonly amount: number
  readonly kind: 'grant' | 'adjustment'
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
}

/**
 * Saying a gift again does nothing but raise the version once more, so that news which did not
 * arrive can be sent again.
 */
export async function give(
  database: Kysely<Tables>,
  gift: Gift,
): Promise<Changed<Transferred & Balance>> {
  const { organizationId, amount, kind } = gift
  const source = kind === 'grant' ? 'grants' : 'adjustments'
  const funds = fundsAccount(organizationId)
  const way = amount > 0 ? { debit: source, credit: funds } : { debit: funds, credit: source }
  return database.transaction().execute(async (transaction) => {
    const raised = await raiseVersions(transaction, [organizationId])
    await transaction
      .insertInto('ledger_accounts')
      .values({ id: funds, organization_id: organizationId })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    const { kind: _, amount: __, organizationId: ___, ...named } = gift
    const done = await transfer(transaction, { ...way, amount: Math.abs(amount), kind, ...named })
    const balance = await balanceOf(transaction, organizationId)
    if (Math.abs(balance.granted) > GRANTED_MAX) {
      throw new ChangeRefused('the organization would have more than can be counted exactly')
    }
    return { value: { ...done, ...balance }, raised }
  })
}

/** What people gave and took, newest first. What was used is in the ledger and not here. */
export async function listGifts(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<TransferRow[]> {
  const funds = fundsAccount(organizationId)
  return database
    .selectFrom('transfers')
    .selectAll()
    .where((is) => is.or([is('credit_account', '=', funds), is('debit_account', '=', funds)]))
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

export type LedgerCheck = {
  /** Credits less debits of all accounts. Anything but 0 is a fault. */
  readonly sum: number
  /** Accounts whose sums are not those of their transfers. Any is a fault. */
  readonly wrong: readonly string[]
}

/** Reads every transfer: for an audit, not for every minute. */
export async function checkLedger(database: Kysely<Tables>): Promise<LedgerCheck> {
  const { rows } = await sql<{ sum: number; wrong: string[] }>`
    with sides as (
      select debit_account as id, amount as debits, 0::bigint as credits from transfers
      union all
      select credit_account, 0, amount from transfers
    ), sums as (
      select id, sum(debits) as debits, sum(credits) as credits from sides group by id
    )
    select
      sum(accounts.credits - accounts.debits)::bigint as sum,
      coalesce(array_agg(accounts.id order by accounts.id) filter (
        where accounts.debits <> coalesce(sums.debits, 0)
           or accounts.credits <> coalesce(sums.credits, 0)
      ), '{}') as wrong
    from ledger_accounts accounts left join sums on sums.id = accounts.id`.execute(database)
  const [found] = rows
  if (found === undefined) throw new Error('the books have no accounts')
  return found
}
