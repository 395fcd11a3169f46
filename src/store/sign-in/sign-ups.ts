import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import { normalEmail } from '../../tenancy/email.ts'

/**
 * Emails to one address within an hour, counted by the network that asked: nobody uses up the
 * allowance of somebody else.
 */
const PER_NETWORK_MAX = 5
/** From all networks, so that nobody can fill a mailbox. Every link that was sent still works. */
const PER_ADDRESS_MAX = 20

export type NewSignUp = {
  readonly hash: Buffer
  readonly email: string
  /** Where it was asked for. */
  readonly network: string
  readonly endsAt: Date
}

/** False if the address has had too many. */
export async function storeSignUp(
  database: Kysely<Tables>,
  { hash, email, network, endsAt }: NewSignUp,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into sign_ups (hash, email, network, ends_at)
    select ${hash}, ${email}, ${network}, ${endsAt}
    from (select count(*) as sent, count(*) filter (where network = ${network}) as own
          from sign_ups
          where lower(email) = ${normalEmail(email)}
            and created_at > now() - interval '1 hour') recent
    where sent < ${PER_ADDRESS_MAX} and own < ${PER_NETWORK_MAX}`.execute(database)
  return numAffectedRows === 1n
}

/** The address of a link that still works, without using it. */
export async function findSignUp(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('sign_ups')
    .select('email')
    .where('hash', '=', hash)
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.email
}

/** The address of a link, once: of two attempts at the same time one finds nothing. */
export async function takeSignUp(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<string | undefined> {
  const row = await database
    .deleteFrom('sign_ups')
    .where('hash', '=', hash)
    .where('ends_at', '>', sql<Date>`now()`)
    .returning('email')
    .executeTakeFirst()
  return row?.email
}

/** The other links to an address stop working once it has an account. */
export async function deleteSignUps(database: Kysely<Tables>, email: string): Promise<void> {
  await database
    .deleteFrom('sign_ups')
    .where(sql`lower(email)`, '=', normalEmail(email))
    .execute()
}
