import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { displayParts, hashApiKey, type ApiKey } from '../../tenancy/api-key.ts'
import { isUuid } from '../postgres/page.ts'
import type { ScimTables } from '../postgres/scim-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { ChangeRefused, explainConstraints } from '../tenants/changes.ts'

/** Of one organization that are not revoked: the one in use, the next one, and some to spare. */
export const SCIM_TOKENS_MAX = 10
/** Of all, also the revoked ones. Older ones are in the audit log. */
const LISTED_MAX = 50

export type StoredScimToken = Omit<Selectable<ScimTables['scim_tokens']>, 'hash'>

const COLUMNS = [
  'id',
  'organization_id',
  'name',
  'prefix',
  'last4',
  'created_by',
  'created_at',
  'revoked_at',
  'last_used_at',
] as const

export async function storeScimToken(
  transaction: Transaction<Tables>,
  token: ApiKey,
  facts: { readonly organizationId: string; readonly name: string; readonly createdBy: string },
): Promise<StoredScimToken> {
  return explainConstraints(() =>
    transaction
      .insertInto('scim_tokens')
      .values({
        id: uuidV7(),
        organization_id: facts.organizationId,
        name: facts.name,
        hash: hashApiKey(token),
        ...displayParts(token),
        created_by: facts.createdBy,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  )
}

/** Newest first, also those that are revoked. */
export async function listScimTokens(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<StoredScimToken[]> {
  return database
    .selectFrom('scim_tokens')
    .select(COLUMNS)
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .limit(LISTED_MAX)
    .execute()
}

/** Those that work. */
export async function countScimTokens(
  transaction: Transaction<Tables>,
  organizationId: string,
): Promise<number> {
  const { count } = await transaction
    .selectFrom('scim_tokens')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Also one that is revoked. */
export async function findScimTokenByHash(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<(StoredScimToken & { readonly stale: boolean }) | undefined> {
  return database
    .selectFrom('scim_tokens')
    .select(COLUMNS)
    .select(
      sql<boolean>`coalesce(last_used_at, '-infinity') <= now() - interval '1 minute'`.as('stale'),
    )
    .where('hash', '=', hash)
    .executeTakeFirst()
}

/** Of several at once one writes. */
export async function noteScimTokenUsed(database: Kysely<Tables>, id: string): Promise<void> {
  await database
    .updateTable('scim_tokens')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(last_used_at, '-infinity') <= now() - interval '1 minute'`)
    .execute()
}

/** Ends a token for good, at the next call. Revoking twice is not an error. */
export async function revokeScimToken(
  transaction: Transaction<Tables>,
  organizationId: string,
  id: string,
): Promise<StoredScimToken & { readonly repeated: boolean }> {
  const found = isUuid(id)
    ? await transaction
        .selectFrom('scim_tokens')
        .select(COLUMNS)
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
    : undefined
  if (found === undefined) throw new ChangeRefused('SCIM token not found', { kind: 'not_found' })
  if (found.revoked_at !== null) return { ...found, repeated: true }
  const revoked = await transaction
    .updateTable('scim_tokens')
    .set({ revoked_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { ...revoked, repeated: false }
}
