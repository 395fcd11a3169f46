import type { Kysely, Selectable } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { PlatformTables } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** A list of them needs no pages. */
export const CONNECTIONS_MAX = 20

export type ConnectionRow = Selectable<PlatformTables['sso_connections']>

type ConnectionSettings = Pick<
  ConnectionRow,
  'name' | 'issuer' | 'client_id' | 'sealed_secret' | 'default_role'
>

/** `seal` gets the new id: a sealed secret opens for its row only. */
export async function createConnection(
  database: Kysely<Tables>,
  organizationId: string,
  settings: Omit<ConnectionSettings, 'sealed_secret'>,
  seal: (id: string) => Buffer,
): Promise<ConnectionRow> {
  const id = uuidV7()
  return database
    .insertInto('sso_connections')
    .values({ ...settings, id, organization_id: organizationId, sealed_secret: seal(id) })
    .returningAll()
    .executeTakeFirstOrThrow()
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
    .orderBy('id', 'desc')
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
