import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { formatAmount } from '../../tenancy/amount.ts'
import { ChangeRefused } from '../tenants/changes.ts'
import type { Changed } from '../tenants/changes.ts'
import type { Page } from '../postgres/page.ts'
import type { Tables, TransferKind, TransferRow } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from '../tenants/versions.ts'

// The ledger: every transfer debits one account and credits another, so that all accounts sum to
// zero at every commit. See migrations/ for the list of accounts.

function fundsAccount(organizationId: string): string {
  return `funds:${organizationId}`
}

export function usageAccount(organizationId: string): string {
  return `usage:${organizationId}`
}

/** Reserved: transfers of usage were in the same table once, under references with this prefix. */
const USAGE_REFERENCE = 'usage:'

/** A transfer made by a person. Transfers of usage are written by `postCosts`. */
export type Transfer = {
  readonly debit: string
  readonly credit: string
  /** In micro-units. */
  readonly amount: number
  readonly kind: Exclude<TransferKind, 'usage'>
  /** Idempotency key: repeating a transfer with the same reference has no effect. */
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
}

export type Transferred = { readonly transfer: TransferRow; readonly repeated: boolean }

/**
 * Writes a transfer and adds it to the sums of its two accounts, which must exist.
 *
 * It locks the accounts in the order of their ids, and after the row of the organization, so that
 * no two transactions deadlock. Posting usage locks other accounts than funds changes do.
 */
async function transfer(transaction: Transaction<Tables>, made: Transfer): Promise<Transferred> {
  if (made.reference.startsWith(USAGE_REFERENCE))
    throw new ChangeRefused(`the reference must not begin with ${USAGE_REFERENCE}`)
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

/** Refuses a reference that was used for a different transfer: that is a mistake, not a repeat. */
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
  throw new ChangeRefused('this reference was already used for a different transfer')
}

export type Balance = {
  /** Sum of all grants and adjustments, in micro-units. */
  readonly granted: number
  /** Sum of all posted costs. */
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
  const creditsLessDebits = (id: string) => {
    const row = rows.find((each) => each.id === id)
    return row === undefined ? 0 : row.credits - row.debits
  }
  const granted = creditsLessDebits(funds)
  const spent = 0 - creditsLessDebits(usage)
  return { granted, spent, balance: granted - spent }
}

/** In micro-units. Numbers are exact up to 2^53; this leaves a wide margin. */
const GRANTED_MAX = 1_000_000_000_000_000

/** A grant or an adjustment, made by a person. An adjustment may be negative. */
export type FundsChange = {
  readonly organizationId: string
  readonly amount: number
  readonly kind: 'grant' | 'adjustment'
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
}

/**
 * Repeating a change only raises the version again, so that a version that did not reach Valkey can
 * be published again.
 */
export async function changeFunds(
  database: Kysely<Tables>,
  change: FundsChange,
): Promise<Changed<Transferred & Balance>> {
  const { organizationId, amount, kind, reference, madeBy, reason } = change
  const source = kind === 'grant' ? 'grants' : 'adjustments'
  const funds = fundsAccount(organizationId)
  const accounts = amount > 0 ? { debit: source, credit: funds } : { debit: funds, credit: source }
  return withinTransaction(database, async (transaction) => {
    const raised = await raiseVersions(transaction, [organizationId])
    await transaction
      .insertInto('ledger_accounts')
      .values({ id: funds, organization_id: organizationId })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
    const made = { ...accounts, amount: Math.abs(amount), kind, reference, madeBy, reason }
    const transferred = await transfer(transaction, made)
    const balance = await balanceOf(transaction, organizationId)
    if (Math.abs(balance.granted) > GRANTED_MAX) {
      throw new ChangeRefused(`the total granted would exceed ${formatAmount(GRANTED_MAX)}`)
    }
    return { value: { ...transferred, ...balance }, raised }
  })
}

/**
 * Grants and adjustments, newest first. Each side of the ledger has an index in this order; a
 * condition on both sides at once would read and sort the whole history.
 */
export async function listFundsChanges(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<TransferRow[]> {
  const funds = fundsAccount(organizationId)
  const side = (account: 'credit_account' | 'debit_account') =>
    database
      .selectFrom('transfers')
      .selectAll()
      .where(account, '=', funds)
      .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
      .orderBy('id', 'desc')
      .limit(page.limit)
  const sideOf = (account: 'credit_account' | 'debit_account') =>
    database.selectFrom(side(account).as('side')).selectAll()
  return database
    .selectFrom(sideOf('credit_account').unionAll(sideOf('debit_account')).as('sides'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

export type LedgerCheck = {
  /** Credits less debits of all accounts; must be 0. */
  readonly sum: number
  /** Accounts whose sums do not match their transfers; must be empty. */
  readonly wrong: readonly string[]
}

/** Reads every transfer and opening, so it is meant for audits, not for frequent checks. */
export async function checkLedger(database: Kysely<Tables>): Promise<LedgerCheck> {
  const { rows } = await sql<{ sum: number; wrong: string[] }>`
    with sides as (
      select debit_account as id, amount as debits, 0::bigint as credits from transfers
      union all
      select credit_account, 0, amount from transfers
      union all
      select debit_account, amount, 0 from usage_transfers
      union all
      select credit_account, 0, amount from usage_transfers
    ), sums as (
      select id, sum(debits) as debits, sum(credits) as credits from sides group by id
    )
    select
      sum(accounts.credits - accounts.debits)::bigint as sum,
      coalesce(array_agg(id order by id) filter (
        where coalesce(accounts.debits, 0) <> coalesce(sums.debits, 0)
           or coalesce(accounts.credits, 0) <> coalesce(sums.credits, 0)
      ), '{}') as wrong
    from ledger_accounts accounts full join sums using (id)`.execute(database)
  const [found] = rows
  if (found === undefined) throw new Error('the ledger has no accounts')
  return found
}
