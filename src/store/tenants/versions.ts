import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/**
 * An organization whose cached identities are out of date. Whoever made the change tells the
 * limiter before answering.
 */
export type RaisedVersion = { readonly organizationId: string; readonly version: number }

/**
 * Raises the versions in the order of the ids, so that two changes to the same organizations cannot
 * wait for each other.
 *
 * It goes first in its transaction, or second to the lock of an account: the row locks that it
 * takes are what puts changes to one organization in a line, and every transaction takes its locks
 * in that order.
 */
export async function raiseVersions(
  transaction: Transaction<Tables>,
  organizationIds: readonly string[],
): Promise<RaisedVersion[]> {
  const { rows } = await sql<{ id: string; version: number }>`
    update organizations set version = version + 1
    where id in (
      select id from organizations where id = any(${organizationIds}::uuid[]) order by id for update
    )
    returning id, version`.execute(transaction)
  return rows.map((row) => ({ organizationId: row.id, version: row.version }))
}
