import { sql } from 'kysely'
import type { Insertable, Kysely, Transaction, Updateable } from 'kysely'
import type { DisputeState } from '../../contract/payments/refund-states.ts'
import type { DisputeRow } from '../postgres/payment-tables.ts'
import type { Page } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'

export async function insertDispute(
  transaction: Transaction<Tables>,
  dispute: Insertable<Tables['disputes']>,
): Promise<DisputeRow> {
  return transaction.insertInto('disputes').values(dispute).returningAll().executeTakeFirstOrThrow()
}

/** By its id at the provider. */
export async function findDispute(
  database: Kysely<Tables>,
  ref: string,
): Promise<DisputeRow | undefined> {
  return database.selectFrom('disputes').selectAll().where('ref', '=', ref).executeTakeFirst()
}

export async function disputesOf(
  database: Kysely<Tables>,
  paymentIds: readonly string[],
): Promise<DisputeRow[]> {
  if (paymentIds.length === 0) return []
  return database
    .selectFrom('disputes')
    .selectAll()
    .where('payment_id', 'in', paymentIds)
    .orderBy('id')
    .execute()
}

/** A dispute with the slug and the name of its organization. */
export type NamedDispute = DisputeRow & { readonly slug: string; readonly name: string }

/** Of all organizations, newest first. */
export async function listDisputes(
  database: Kysely<Tables>,
  state: DisputeState | undefined,
  page: Page,
): Promise<NamedDispute[]> {
  return database
    .selectFrom('disputes')
    .innerJoin('organizations', 'organizations.id', 'disputes.organization_id')
    .selectAll('disputes')
    .select(['organizations.slug', 'organizations.name'])
    .$if(state !== undefined, (query) => query.where('disputes.state', '=', state ?? 'open'))
    .$if(page.after !== undefined, (query) => query.where('disputes.id', '<', page.after ?? ''))
    .orderBy('disputes.id', 'desc')
    .limit(page.limit)
    .execute()
}

export async function changeDispute(
  transaction: Transaction<Tables>,
  id: string,
  change: Pick<
    Updateable<Tables['disputes']>,
    'state' | 'tax' | 'moves' | 'withdrawn' | 'returned'
  >,
): Promise<DisputeRow> {
  return transaction
    .updateTable('disputes')
    .set({ ...change, changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
