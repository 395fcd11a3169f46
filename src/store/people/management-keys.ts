import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { displayParts, hashApiKey, type ApiKey } from '../../tenancy/api-key.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { ManagementKeyRow } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { ChangeRefused, explainConstraints } from '../tenants/changes.ts'

export type NewManagementKey = {
  /** Null for a key of the platform. */
  readonly organizationId: string | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdBy: string
  readonly expiresAt: Date
}

export type StoredManagementKey = Omit<ManagementKeyRow, 'hash'>

const COLUMNS = [
  'id',
  'organization_id',
  'name',
  'prefix',
  'last4',
  'scopes',
  'created_by',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

export async function storeManagementKey(
  transaction: Transaction<Tables>,
  key: ApiKey,
  { organizationId, name, scopes, createdBy, expiresAt }: NewManagementKey,
): Promise<StoredManagementKey> {
  return explainConstraints(() =>
    transaction
      .insertInto('management_keys')
      .values({
        id: uuidV7(),
        organization_id: organizationId,
        name,
        hash: hashApiKey(key),
        ...displayParts(key),
        scopes: [...scopes],
        created_by: createdBy,
        expires_at: expiresAt,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  )
}

/** Including those that are revoked or expired. */
export async function listManagementKeys(
  database: Kysely<Tables>,
  organizationId: string | null,
  page: Page,
): Promise<StoredManagementKey[]> {
  return database
    .selectFrom('management_keys')
    .select(COLUMNS)
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

/** Including one that is revoked or expired. */
export async function findManagementKeyByHash(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<StoredManagementKey | undefined> {
  return database
    .selectFrom('management_keys')
    .select(COLUMNS)
    .where('hash', '=', hash)
    .executeTakeFirst()
}

export type RevokedManagementKey = StoredManagementKey & { readonly repeated: boolean }

/** Ends a key for good, at the next call. Revoking twice is not an error. */
export async function revokeManagementKey(
  transaction: Transaction<Tables>,
  organizationId: string | null,
  id: string,
): Promise<RevokedManagementKey> {
  const found = isUuid(id)
    ? await transaction
        .selectFrom('management_keys')
        .select(COLUMNS)
        .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (found === undefined)
    throw new ChangeRefused('management key not found', { kind: 'not_found' })
  if (found.revoked_at !== null) return { ...found, repeated: true }
  const revoked = await transaction
    .updateTable('management_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { ...revoked, repeated: false }
}
