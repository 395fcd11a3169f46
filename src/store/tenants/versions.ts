import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/**
 * An organization whose cached identities are stale. The code that made the change must publish the
 * new version to Valkey before it responds.
 */
export type RaisedVersion = { readonly organizationId: string; readonly version: number }

/**
 * Raises the versions in the order of the ids, so that two changes to the same organizations cannot
 * deadlock.
 *
 * Must come first in its transaction, or right after the lock of an account: its row locks
 * serialize changes to one organization, and every transaction takes its locks in that order.
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
