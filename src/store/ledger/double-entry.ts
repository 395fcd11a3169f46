import type { Kysely, Transaction } from 'kysely'
import { formatAmount } from '../../tenancy/money/amount.ts'
import { ChangeRefused, type Changed } from '../tenants/changes.ts'
import type { Page } from '../postgres/page.ts'
import type { Tables, TransferRow } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from '../tenants/versions.ts'
import { addLot, LOTS_MAX, readExpiry, settleCredits, type Credits } from './credit-lots.ts'
import {
  fundsAccount,
  postTransfers,
  receivableAccount,
  RESERVED_REFERENCES,
  type Transferred,
} from './post-transfers.ts'

// The ledger: every transfer debits one account and credits another, so that all accounts sum to
// zero at every commit. See migrations/0006-ledger.sql for the accounts.

export function usageAccount(organizationId: string): string {
  return `usage:${organizationId}`
}

export type Balance = {
  /** Sum of all grants and adjustments, in micro-units. */
  readonly granted: number
  /** Sum of all posted costs. */
  readonly spent: number
  readonly balance: number
  /** What unpaid invoices amount to. */
  readonly receivable: number
}

export async function balanceOf(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<Balance> {
  return (await balancesOf(database, [organizationId]))(organizationId)
}

/** Reads those of many organizations at once; all is 0 of one that has had nothing. */
export async function balancesOf(
  database: Kysely<Tables>,
  organizationIds: readonly string[],
): Promise<(organizationId: string) => Balance> {
  const accounts = [fundsAccount, usageAccount, receivableAccount]
  const ids = organizationIds.flatMap((id) => accounts.map((nameOf) => nameOf(id)))
  const read = database
    .selectFrom('ledger_accounts')
    .select(['id', 'debits', 'credits'])
    .where('id', 'in', ids)
  // SQL has no empty list.
  const rows = ids.length === 0 ? [] : await read.execute()
  const sums = new Map(rows.map(({ id, debits, credits }) => [id, credits - debits]))
  return (id) => {
    const granted = sums.get(fundsAccount(id)) ?? 0
    const spent = 0 - (sums.get(usageAccount(id)) ?? 0)
    const receivable = 0 - (sums.get(receivableAccount(id)) ?? 0)
    return { granted, spent, balance: granted - spent, receivable }
  }
}

/** In micro-units. Numbers are exact up to 2^53; this leaves a wide margin. */
export const GRANTED_MAX = 1_000_000_000_000_000

/** Where money of a balance comes from, by kind. */
const SOURCES = { grant: 'grants', adjustment: 'adjustments', voucher: 'vouchers' } as const

/** What an organization is given, or gives back. Only an adjustment may be negative. */
type FundsMove = {
  readonly organizationId: string
  readonly amount: number
  readonly kind: keyof typeof SOURCES
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
  /** When what is left of it is taken back; default: never. */
  readonly expiresAt?: Date | undefined
}

/** A grant or an adjustment, made by a person. */
export type FundsChange = FundsMove & { readonly kind: 'grant' | 'adjustment' }

/** The account exists from the first transfer on. */
export async function openFunds(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<string> {
  return openAccount(transaction, fundsAccount(organizationId), organizationId)
}

export async function openReceivable(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<string> {
  return openAccount(transaction, receivableAccount(organizationId), organizationId)
}

async function openAccount(
  transaction: Transaction<Tables>,
  id: string,
  organizationId: string,
): Promise<string> {
  await transaction
    .insertInto('ledger_accounts')
    .values({ id, organization_id: organizationId })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return id
}

/**
 * Repeating a change only raises the version again, so that a version that did not reach Valkey can
 * be published again.
 */
export async function changeFunds(
  database: Kysely<Tables>,
  change: FundsChange,
): Promise<Changed<Transferred & Balance>> {
  const prefix = RESERVED_REFERENCES.find((each) => change.reference.startsWith(each))
  if (prefix !== undefined) throw new ChangeRefused(`the reference must not begin with ${prefix}`)
  return withinTransaction(database, (transaction) => moveFunds(transaction, change))
}

/** Whoever holds locks has locked the organization before everything but accounts of people. */
export async function moveFunds(
  transaction: Transaction<Tables>,
  change: FundsMove,
): Promise<Changed<Transferred & Balance>> {
  const { organizationId, amount, kind, reference, madeBy, reason, expiresAt } = change
  const source = SOURCES[kind]
  const raised = await raiseVersions(transaction, [organizationId])
  const funds = await openFunds(transaction, organizationId)
  const accounts = amount > 0 ? { debit: source, credit: funds } : { debit: funds, credit: source }
  const made = { ...accounts, amount: Math.abs(amount), kind, reference, madeBy, reason }
  // Usage until now counts against the lots that were there.
  const before = expiresAt && (await settleCredits(transaction, organizationId))
  const [transferred] = await postTransfers(transaction, [made])
  await noteExpiry(transaction, change, transferred!, before)
  const balance = await balanceOf(transaction, organizationId)
  if (Math.abs(balance.granted) > GRANTED_MAX) {
    throw new ChangeRefused(`the total granted would exceed ${formatAmount(GRANTED_MAX)}`)
  }
  return { value: { ...transferred!, ...balance }, raised }
}

async function noteExpiry(
  transaction: Transaction<Tables>,
  { organizationId, expiresAt }: FundsMove,
  { transfer: { id, amount }, repeated }: Transferred,
  before: Credits | undefined,
): Promise<void> {
  if (repeated) {
    const expiry = await readExpiry(transaction, id)
    if (expiry?.getTime() === expiresAt?.getTime()) return
    throw new ChangeRefused('this reference was already used for a transfer with another expiry')
  }
  if (expiresAt === undefined || before === undefined) return
  if (before.lots.length >= LOTS_MAX)
    throw new ChangeRefused(`the organization has ${LOTS_MAX} credits that expire already`)
  await addLot(transaction, organizationId, { id, amount, expiresAt, attributed: before.spent })
}

/**
 * Transfers to and from the balance, except usage, newest first. Each side of the ledger has an
 * index in this order; a condition on both sides at once would read and sort the whole history.
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
