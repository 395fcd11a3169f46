import { sql, type Kysely, type Selectable } from 'kysely'
import type { PlatformTables } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** Enough for every device of a person; a list of them needs no pages. */
export const PASSKEYS_MAX = 20

export type PasskeyRow = Selectable<PlatformTables['passkeys']>

export type NewPasskey = {
  readonly credentialId: string
  readonly accountId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly backedUp: boolean
  readonly transports: readonly string[]
  readonly name: string
}

/** Undefined if the credential is already stored, by whomever. */
export async function storePasskey(
  database: Kysely<Tables>,
  passkey: NewPasskey,
): Promise<PasskeyRow | undefined> {
  return database
    .insertInto('passkeys')
    .values({
      credential_id: passkey.credentialId,
      account_id: passkey.accountId,
      public_key: Buffer.from(passkey.publicKey),
      counter: passkey.counter,
      backed_up: passkey.backedUp,
      transports: [...passkey.transports],
      name: passkey.name,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function findPasskey(
  database: Kysely<Tables>,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  return database
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** Newest first. */
export async function listPasskeys(
  database: Kysely<Tables>,
  accountId: string,
): Promise<PasskeyRow[]> {
  return database
    .selectFrom('passkeys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('credential_id')
    .limit(PASSKEYS_MAX)
    .execute()
}

/**
 * False if another use with the same or a higher counter came first: one of the two was a copy.
 * Passkeys that are synchronized between devices do not count; theirs stays 0.
 */
export async function notePasskeyUse(
  database: Kysely<Tables>,
  credentialId: string,
  use: { readonly counter: number; readonly backedUp: boolean },
): Promise<boolean> {
  const row = await database
    .updateTable('passkeys')
    .set({ counter: use.counter, backed_up: use.backedUp, last_used_at: sql<Date>`now()` })
    .where('credential_id', '=', credentialId)
    .where(sql<boolean>`counter < ${use.counter} or (counter = 0 and ${use.counter} = 0)`)
    .returning('credential_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function deletePasskey(
  database: Kysely<Tables>,
  accountId: string,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  return database
    .deleteFrom('passkeys')
    .where('account_id', '=', accountId)
    .where('credential_id', '=', credentialId)
    .returningAll()
    .executeTakeFirst()
}
