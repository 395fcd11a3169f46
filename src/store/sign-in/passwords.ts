import { sql, type Kysely } from 'kysely'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { normalEmail } from '../../tenancy/email.ts'

/** Null for an account without a password. */
export type SignInRow = AccountRow & {
  readonly phc: string | null
  readonly password_set_at: Date | null
}

/** The account of an email address and its password, in one query. */
export async function findSignIn(
  database: Kysely<Tables>,
  email: string,
): Promise<SignInRow | undefined> {
  return database
    .selectFrom('accounts')
    .leftJoin('passwords', 'passwords.account_id', 'accounts.id')
    .selectAll('accounts')
    .select(['passwords.phc', 'passwords.changed_at as password_set_at'])
    .where(sql`lower(accounts.email)`, '=', normalEmail(email))
    .executeTakeFirst()
}

export async function findPassword(
  database: Kysely<Tables>,
  accountId: string,
): Promise<string | null> {
  const row = await database
    .selectFrom('passwords')
    .select('phc')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.phc ?? null
}

export async function setPassword(
  database: Kysely<Tables>,
  accountId: string,
  phc: string,
): Promise<void> {
  await database
    .insertInto('passwords')
    .values({ account_id: accountId, phc })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({ phc, changed_at: sql<Date>`now()` }),
    )
    .execute()
}
