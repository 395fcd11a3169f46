import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { displayParts, hashApiKey } from '../../tenancy/api-key.ts'
import type { ApiKey } from '../../tenancy/api-key.ts'
import { ChangeRefused, explainConstraints } from './changes.ts'
import type { Changed } from './changes.ts'
import type { Page } from '../postgres/page.ts'
import { isUuid } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import { raiseVersions } from './versions.ts'

const COLUMNS = [
  'api_keys.id',
  'api_keys.name',
  'api_keys.prefix',
  'api_keys.last4',
  'api_keys.created_by',
  'api_keys.created_at',
  'api_keys.expires_at',
  'api_keys.revoked_at',
  'api_keys.last_used_at',
  'projects.id as project_id',
  'projects.name as project',
  'projects.organization_id',
] as const

/** Everything about a key that may be shown after its creation. */
export type StoredKey = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last4: string
  readonly created_by: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
  readonly project_id: string
  readonly project: string
  readonly organization_id: string
}

export type NewKey = {
  readonly projectId: string
  readonly createdByAccountId: string | null
  readonly name: string
  readonly expiresAt: Date | null
}

/**
 * A key's account must be a member of the key's organization: a change of an account raises the
 * versions of its organizations only, and would miss a key elsewhere. No version is raised here,
 * because no identity can be cached for a key that did not exist.
 */
export async function storeApiKey(
  database: Kysely<Tables>,
  key: ApiKey,
  { projectId, createdByAccountId, name, expiresAt }: NewKey,
): Promise<StoredKey> {
  const id = uuidV7()
  await explainConstraints(async () => {
    const inserted = await database
      .insertInto('api_keys')
      .columns(['id', 'project_id', 'created_by', 'name', 'hash', 'prefix', 'last4', 'expires_at'])
      .expression((expression) => {
        const { prefix, last4 } = displayParts(key)
        const source = expression
          .selectFrom('projects')
          .select([
            sql<string>`${id}::uuid`.as('id'),
            'projects.id as project_id',
            sql<string | null>`${createdByAccountId}::uuid`.as('created_by'),
            sql<string>`${name}::text`.as('name'),
            sql<Buffer>`${hashApiKey(key)}::bytea`.as('hash'),
            sql<string>`${prefix}::text`.as('prefix'),
            sql<string>`${last4}::text`.as('last4'),
            sql<Date | null>`${expiresAt}::timestamptz`.as('expires_at'),
          ])
          .where('projects.id', '=', projectId)
          .where('projects.archived_at', 'is', null)
        if (createdByAccountId === null) return source
        return source.where((where) =>
          where.exists(
            where
              .selectFrom('memberships')
              .select('memberships.account_id')
              .whereRef('memberships.organization_id', '=', 'projects.organization_id')
              .where('memberships.account_id', '=', createdByAccountId)
              .where('memberships.state', '=', 'active'),
          ),
        )
      })
      .returning('id')
      .executeTakeFirst()
    if (inserted === undefined) {
      throw new ChangeRefused(
        createdByAccountId === null
          ? 'the project is archived'
          : 'the project is archived, or the account is not an active member of the organization',
      )
    }
  })
  return findApiKey(database, id)
}

export async function findApiKey(database: Kysely<Tables>, id: string): Promise<StoredKey> {
  const row = isUuid(id)
    ? await database
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .select(COLUMNS)
        .where('api_keys.id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw new ChangeRefused(`API key ${JSON.stringify(id)} not found`)
  return row
}

export async function listApiKeys(
  database: Kysely<Tables>,
  scope: { readonly organizationId: string; readonly projectId?: string },
  page: Page,
): Promise<StoredKey[]> {
  return database
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(COLUMNS)
    .where('projects.organization_id', '=', scope.organizationId)
    .$if(scope.projectId !== undefined, (query) =>
      query.where('api_keys.project_id', '=', scope.projectId ?? ''),
    )
    .$if(page.after !== undefined, (query) => query.where('api_keys.id', '>', page.after ?? ''))
    .orderBy('api_keys.id')
    .limit(page.limit)
    .execute()
}

/**
 * Revoking twice is not an error and raises the version again, so that a revocation that did not
 * reach Valkey can be repeated.
 */
export async function revokeApiKey(
  database: Kysely<Tables>,
  key: Pick<StoredKey, 'id' | 'organization_id'>,
): Promise<Changed<StoredKey>> {
  const raised = await database.transaction().execute(async (transaction) => {
    const versions = await raiseVersions(transaction, [key.organization_id])
    await transaction
      .updateTable('api_keys')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
      .where('id', '=', key.id)
      .execute()
    return versions
  })
  return { value: await findApiKey(database, key.id), raised }
}
