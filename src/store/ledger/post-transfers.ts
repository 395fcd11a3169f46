import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { ChangeRefused } from '../tenants/changes.ts'
import type { Tables, TransferKind, TransferRow } from '../postgres/tables.ts'
import { settleCredits } from './credit-lots.ts'

/** How references begin that only this service makes: nobody can type one of them. */
export const RESERVED_REFERENCES = [
  'usage:',
  'payment:',
  'tax:',
  'refund:',
  'dispute:',
  'expired:',
  'fee:',
  'voucher:',
  'invoice:',
  'invoice-tax:',
  'write-off:',
] as const

const FUNDS = 'funds:'

export function fundsAccount(organizationId: string): string {
  return `${FUNDS}${organizationId}`
}

/** What unpaid invoices of an organization amount to: its debits less its credits. */
export function receivableAccount(organizationId: string): string {
  return `receivable:${organizationId}`
}

/** A transfer but those of usage and of expiry, which `postCosts` and `expireCredits` write. */
export type Transfer = {
  readonly debit: string
  readonly credit: string
  /** In micro-units. */
  readonly amount: number
  readonly kind: Exclude<TransferKind, 'usage' | 'expiry'>
  /** Idempotency key: repeating a transfer with the same reference has no effect. */
  readonly reference: string
  readonly madeBy: string
  readonly reason: string
}

export type Transferred = { readonly transfer: TransferRow; readonly repeated: boolean }

/**
 * Writes transfers and adds them to the sums of their accounts, which must exist.
 *
 * It locks the accounts in the order of their ids, and after the row of the organization, so that
 * no two transactions deadlock. Posting usage locks other accounts than these transfers do.
 * Credits that expire give what the rest of a balance does not have.
 */
export async function postTransfers(
  transaction: Transaction<Tables>,
  made: readonly Transfer[],
): Promise<Transferred[]> {
  await transaction
    .selectFrom('ledger_accounts')
    .select('id')
    .where('id', 'in', [...new Set(made.flatMap(({ debit, credit }) => [debit, credit]))])
    .orderBy('id')
    .forUpdate()
    .execute()
  const transferred: Transferred[] = []
  for (const each of made) transferred.push(await postTransfer(transaction, each))
  for (const { debit } of made)
    if (debit.startsWith(FUNDS)) await settleCredits(transaction, debit.slice(FUNDS.length))
  return transferred
}

async function postTransfer(
  transaction: Transaction<Tables>,
  made: Transfer,
): Promise<Transferred> {
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
