import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** The codes that were made before stop working. */
export async function replaceRecoveryCodes(
  transaction: Transaction<Tables>,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await deleteRecoveryCodes(transaction, accountId)
  const rows = hashes.map((hash) => ({ account_id: accountId, hash, used_at: null }))
  await transaction.insertInto('recovery_codes').values(rows).execute()
}

export async function deleteRecoveryCodes(
  database: Kysely<Tables>,
  accountId: string,
): Promise<void> {
  await database.deleteFrom('recovery_codes').where('account_id', '=', accountId).execute()
}

/** False if there is no such code, or if it was used before. */
export async function useRecoveryCode(
  database: Kysely<Tables>,
  accountId: string,
  hash: Buffer,
): Promise<boolean> {
  const row = await database
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function countUnusedRecoveryCodes(
  database: Kysely<Tables>,
  accountId: string,
): Promise<number> {
  const { count } = await database
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)`.as('count'))
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
