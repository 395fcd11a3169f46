import { sql } from 'kysely'
import type { Kysely, Transaction, Updateable } from 'kysely'
import type { RefundRow } from '../postgres/payment-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { isUuid } from '../postgres/page.ts'
import { attemptOf, KEY_HOURS } from './key-attempts.ts'

export type NewRefund = Pick<RefundRow, 'id' | 'payment_id' | 'organization_id' | 'amount'> & {
  readonly requested_by: string | null
  readonly reason: string | null
  readonly ref?: string
  /** Whether a credit note must be written here. */
  readonly note: 'owed' | null
}

/** Writes the row that every request to the provider is made from. */
export async function insertRefund(
  transaction: Transaction<Tables>,
  refund: NewRefund,
): Promise<RefundRow> {
  return transaction.insertInto('refunds').values(refund).returningAll().executeTakeFirstOrThrow()
}

export async function findRefund(
  database: Kysely<Tables>,
  id: string,
): Promise<RefundRow | undefined> {
  if (!isUuid(id)) return undefined
  return database.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirst()
}

/** By its id at the provider, or by ours, which the provider keeps for us. */
export async function findRefundOf(
  database: Kysely<Tables>,
  paymentId: string,
  { ref, refundId }: { readonly ref: string; readonly refundId: string | null },
): Promise<RefundRow | undefined> {
  const own =
    refundId !== null && isUuid(refundId) ? await findRefund(database, refundId) : undefined
  if (own !== undefined && own.payment_id === paymentId && (own.ref ?? ref) === ref) return own
  return database.selectFrom('refunds').selectAll().where('ref', '=', ref).executeTakeFirst()
}

export async function listRefunds(
  database: Kysely<Tables>,
  paymentIds: readonly string[],
): Promise<RefundRow[]> {
  if (paymentIds.length === 0) return []
  return database
    .selectFrom('refunds')
    .selectAll()
    .where('payment_id', 'in', paymentIds)
    .orderBy('id')
    .execute()
}

/**
 * Stores which object of the provider it is, unless a webhook was faster. One that was given up
 * meanwhile stays without: reading the object will take its money again.
 */
export async function storeRefundRef(
  transaction: Transaction<Tables>,
  id: string,
  ref: string,
): Promise<void> {
  await transaction
    .updateTable('refunds')
    .set({ ref })
    .where('id', '=', id)
    .where('state', '=', 'requested')
    .where('ref', 'is', null)
    .execute()
}

export async function changeRefund(
  transaction: Transaction<Tables>,
  id: string,
  change: Pick<Updateable<Tables['refunds']>, 'state' | 'tax' | 'moves' | 'ref' | 'failure'>,
): Promise<RefundRow> {
  return transaction
    .updateTable('refunds')
    .set({ ...change, ...(change.state !== undefined && { changed_at: sql<Date>`now()` }) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The number of its next request, for the refund or its credit note. */
export async function attemptFor(database: Kysely<Tables>, refund: RefundRow): Promise<number> {
  return refund.spent_keys + (await attemptOf(database, refund.created_at, KEY_HOURS))
}

/** Its next request has another key. */
export async function spendKey(database: Kysely<Tables>, id: string): Promise<void> {
  await sql`update refunds set spent_keys = spent_keys + 1 where id = ${id}`.execute(database)
}

/** How the provider answered to the credit note that was owed. */
export async function noteWritten(
  database: Kysely<Tables>,
  id: string,
  answer: { readonly ref: string } | { readonly refused: string },
): Promise<void> {
  const note =
    'ref' in answer
      ? ({ note: 'made', note_ref: answer.ref } as const)
      : ({ note: 'refused', note_failure: answer.refused } as const)
  await database
    .updateTable('refunds')
    .set(note)
    .where('id', '=', id)
    .where('note', '=', 'owed')
    .execute()
}

/** Somebody may have mended why the provider refused it. */
export async function oweNoteAgain(database: Kysely<Tables>, id: string): Promise<void> {
  await database
    .updateTable('refunds')
    .set({ note: 'owed', note_failure: null })
    .where('id', '=', id)
    .where('note', '=', 'refused')
    .execute()
}
