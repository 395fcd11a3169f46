import { sql, type Kysely, type Transaction } from 'kysely'
import type { MailTokenKind } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { lockAccount } from '../tenants/accounts.ts'

/**
 * Links of one kind that an account is sent within an hour. Beyond it none is made, so that nobody
 * can fill somebody else's mailbox.
 */
const LINKS_PER_HOUR_MAX = 5

export type NewMailToken = {
  readonly hash: Buffer
  readonly kind: MailTokenKind
  readonly accountId: string
  /** The new address, for a change of address. */
  readonly email?: string
  readonly endsAt: Date
  /** For links that a person asked for without having signed in. */
  readonly limited: boolean
}

/** False if the account was sent too many. In a transaction that has locked the account. */
export async function createMailToken(
  database: Kysely<Tables>,
  token: NewMailToken,
): Promise<boolean> {
  const recent = database
    .selectFrom('mail_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', token.accountId)
    .where('kind', '=', token.kind)
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`)
  if (token.limited && (await recent.executeTakeFirstOrThrow()).count >= LINKS_PER_HOUR_MAX)
    return false
  await database
    .insertInto('mail_tokens')
    .values({
      hash: token.hash,
      kind: token.kind,
      account_id: token.accountId,
      email: token.email ?? null,
      ends_at: token.endsAt,
    })
    .execute()
  return true
}

export type UsedMailToken = { readonly accountId: string; readonly email: string | null }

/**
 * Once: of two attempts at the same time one finds it used. Locks the account first, as whoever
 * voids its links does.
 */
export async function useMailToken(
  transaction: Transaction<Tables>,
  hash: Buffer,
  kind: MailTokenKind,
): Promise<UsedMailToken | undefined> {
  const accountId = await findMailToken(transaction, hash, kind)
  if (accountId === undefined) return undefined
  await lockAccount(transaction, accountId, 'update')
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

/** The account of a link that still works, without using it. */
export async function findMailToken(
  database: Kysely<Tables>,
  hash: Buffer,
  kind: MailTokenKind,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('mail_tokens')
    .select('account_id')
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.account_id
}
