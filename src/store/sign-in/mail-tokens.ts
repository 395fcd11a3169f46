import { sql, type Kysely, type Transaction } from 'kysely'
import type { MailTokenKind } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { lockAccount } from '../tenants/accounts.ts'

/**
 * Links of one kind that an account is sent within an hour, counted by the network that asked for
 * them: nobody uses up the allowance of somebody else.
 */
const PER_NETWORK_MAX = 5
/** From all networks, so that nobody can fill a mailbox. Every link that was sent still works. */
const PER_ACCOUNT_MAX = 20

export type NewMailToken = {
  readonly hash: Buffer
  readonly kind: MailTokenKind
  readonly accountId: string
  /** The new address, for a change of address. */
  readonly email?: string
  readonly endsAt: Date
  /** Where it was asked for. Null for a link of the operator, which is not counted. */
  readonly network: string | null
}

/** False if the account was sent too many. In a transaction that has locked the account. */
export async function createMailToken(
  database: Kysely<Tables>,
  token: NewMailToken,
): Promise<boolean> {
  if (token.network !== null && !(await mayAsk(database, token, token.network))) return false
  await database
    .insertInto('mail_tokens')
    .values({
      hash: token.hash,
      kind: token.kind,
      account_id: token.accountId,
      email: token.email ?? null,
      network: token.network,
      ends_at: token.endsAt,
    })
    .execute()
  return true
}

async function mayAsk(
  database: Kysely<Tables>,
  { accountId, kind }: NewMailToken,
  network: string,
): Promise<boolean> {
  const { sent, own } = await database
    .selectFrom('mail_tokens')
    .select(sql<number>`count(*)`.as('sent'))
    .select(sql<number>`count(*) filter (where network = ${network})`.as('own'))
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('network', 'is not', null)
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  return sent < PER_ACCOUNT_MAX && own < PER_NETWORK_MAX
}

export type FoundMailToken = { readonly accountId: string; readonly email: string | null }

/**
 * Once: of two attempts at the same time one finds it used. Locks the account first, as whoever
 * voids its links does.
 */
export async function useMailToken(
  transaction: Transaction<Tables>,
  hash: Buffer,
  kind: MailTokenKind,
): Promise<FoundMailToken | undefined> {
  const found = await findMailToken(transaction, hash, kind)
  if (found === undefined) return undefined
  await lockAccount(transaction, found.accountId, 'update')
  return transaction
    .updateTable('mail_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .returning(['account_id as accountId', 'email'])
    .executeTakeFirst()
}

/** After a password change no earlier link works. */
export async function voidMailTokens(
  database: Kysely<Tables>,
  accountId: string,
  kind?: MailTokenKind,
): Promise<void> {
  await database
    .updateTable('mail_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'verify'))
    .execute()
}

/** What a link that still works is for, without using it. */
export async function findMailToken(
  database: Kysely<Tables>,
  hash: Buffer,
  kind: MailTokenKind,
): Promise<FoundMailToken | undefined> {
  return database
    .selectFrom('mail_tokens')
    .select(['account_id as accountId', 'email'])
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
}
