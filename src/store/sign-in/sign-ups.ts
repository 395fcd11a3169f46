import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** Letters to one address within an hour. Beyond it nothing is stored or sent. */
const SIGN_UPS_PER_HOUR_MAX = 5

export type NewSignUp = {
  readonly hash: Buffer
  readonly email: string
  readonly phc: string
  readonly endsAt: Date
}

/** False if the address has had too many. */
export async function storeSignUp(
  database: Kysely<Tables>,
  { hash, email, phc, endsAt }: NewSignUp,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into sign_ups (hash, email, phc, ends_at)
    select ${hash}, ${email}, ${phc}, ${endsAt}
    where (select count(*) from sign_ups
           where lower(email) = lower(${email}) and created_at > now() - interval '1 hour')
          < ${SIGN_UPS_PER_HOUR_MAX}`.execute(database)
  return numAffectedRows === 1n
}

export type StoredSignUp = { readonly email: string; readonly phc: string }

/** Once: of two attempts at the same time one finds nothing. */
export async function takeSignUp(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<StoredSignUp | undefined> {
  return database
    .deleteFrom('sign_ups')
    .where('hash', '=', hash)
    .where('ends_at', '>', sql<Date>`now()`)
    .returning(['email', 'phc'])
    .executeTakeFirst()
}

/** The other links to an address stop working once it has an account. */
export async function deleteSignUps(database: Kysely<Tables>, email: string): Promise<void> {
  await database
    .deleteFrom('sign_ups')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .execute()
}
