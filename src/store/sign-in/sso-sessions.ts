import { sql, type Transaction } from 'kysely'
import { ssoMethod } from '../../tenancy/sign-in-methods.ts'
import type { Tables } from '../postgres/tables.ts'

/** Remembers which session of the provider a session came from, if the provider says so. */
export async function noteProviderSession(
  transaction: Transaction<Tables>,
  sessionId: string,
  connectionId: string,
  sid: string | null,
): Promise<void> {
  await transaction
    .updateTable('sessions')
    .set({ sso_sid: sid === null ? null : nameOf(connectionId, sid) })
    .where('id', '=', sessionId)
    .execute()
}

/**
 * Ends sessions that came from a connection: those of one session at the provider, or all of the
 * account. Where the provider named none at the sign-in, those of the account. Returns how many.
 */
export async function endSessionsOfProvider(
  transaction: Transaction<Tables>,
  connectionId: string,
  { accountId, sid }: { readonly accountId: string | null; readonly sid: string | null },
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sessions')
    .where(sql<boolean>`methods @> array[${ssoMethod(connectionId)}]`)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(sid !== null, (query) =>
      query.where((where) =>
        where.or([
          where('sso_sid', '=', nameOf(connectionId, sid ?? '')),
          ...(accountId === null ? [] : [where('sso_sid', 'is', null)]),
        ]),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

function nameOf(connectionId: string, sid: string): string {
  return `${connectionId}:${sid}`
}
