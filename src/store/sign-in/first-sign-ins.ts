import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Notes that an account has signed in. Whether it was the first time ever. */
export async function noteFirstSignIn(
  database: Kysely<Tables>,
  accountId: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('first_sign_ins')
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
