import type { Kysely, Selectable } from 'kysely'
import { uuidOf } from '../../lib/uuid.ts'
import type { PlatformTables } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** A list of them needs no pages. */
export const CONNECTIONS_MAX = 20

export type ConnectionRow = Selectable<PlatformTables['sso_connections']>

type ConnectionSettings = Pick<
  ConnectionRow,
  'name' | 'issuer' | 'client_id' | 'sealed_secret' | 'default_role'
>

/**
 * The id of the connection that the organization makes next. It is known before, because people
 * register the redirect URI, which contains it, at the provider first. It is a hash of the
 * organization and its newest connection: no other organization can ever have a connection with
 * this id, so a redirect URI that is still registered somewhere never leads to a stranger.
 */
export function nextConnectionId(
  organizationId: string,
  newestFirst: readonly Pick<ConnectionRow, 'id'>[],
): string {
  return uuidOf(`sso connection of ${organizationId} after ${newestFirst[0]?.id ?? 'none'}`)
}

/** Undefined if somebody else has just made a connection with this id. */
export async function createConnection(
  database: Kysely<Tables>,
  row: ConnectionSettings & Pick<ConnectionRow, 'id' | 'organization_id'>,
): Promise<ConnectionRow | undefined> {
  return database
    .insertInto('sso_connections')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function findConnection(
  database: Kysely<Tables>,
  id: string,
): Promise<ConnectionRow | undefined> {
  return database.selectFrom('sso_connections').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Newest first. */
export async function listConnections(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<ConnectionRow[]> {
  return database
    .selectFrom('sso_connections')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(CONNECTIONS_MAX)
    .execute()
}

export async function changeConnection(
  database: Kysely<Tables>,
  id: string,
  changes: Partial<ConnectionSettings>,
): Promise<ConnectionRow> {
  return database
    .updateTable('sso_connections')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Its identities go with it. */
export async function deleteConnection(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('sso_connections').where('id', '=', id).execute()
}

/** The people of a provider are other people if the provider changes. */
export async function forgetIdentities(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('sso_identities').where('connection_id', '=', id).execute()
}
