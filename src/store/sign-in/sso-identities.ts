import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** The account of a person as one provider knows them. */
export async function findIdentity(
  database: Kysely<Tables>,
  connectionId: string,
  subject: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('sso_identities')
    .select('account_id')
    .where('connection_id', '=', connectionId)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.account_id
}

/** False if the person is linked already. */
export async function storeIdentity(
  database: Kysely<Tables>,
  connectionId: string,
  subject: string,
  accountId: string,
): Promise<boolean> {
  const row = await database
    .insertInto('sso_identities')
    .values({ connection_id: connectionId, subject, account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}
