import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { displayParts, hashApiKey, type ApiKey } from '../../tenancy/api-key.ts'
import { ChangeRefused, explainConstraints, type Changed } from './changes.ts'
import { isUuid } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from './versions.ts'

/** Everything about a key that may be shown after its creation. */
export const KEY_COLUMNS = [
  'api_keys.id',
  'api_keys.name',
  'api_keys.prefix',
  'api_keys.last4',
  'api_keys.created_by',
  'api_keys.created_at',
  'api_keys.expires_at',
  'api_keys.revoked_at',
  'api_keys.last_used_at',
  'api_keys.models',
  'api_keys.ignored_parameters',
  'api_keys.requests_per_minute',
  'api_keys.spending_limit',
  'api_keys.held_limits',
  'api_keys.limits_id',
  'api_keys.replaced_by',
  'api_keys.revoked_by',
  'api_keys.revoke_reason',
  'projects.id as project_id',
  'projects.name as project',
  'projects.organization_id',
] as const

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
  /** Null means all of the plan. */
  readonly models: string[] | null
  /** What its requests may have without effect. */
  readonly ignored_parameters: string[]
  /** Null means no limit. */
  readonly requests_per_minute: number | null
  /** Micro-units per calendar month (UTC); null means no limit. */
  readonly spending_limit: number | null
  /** Limits that somebody else than the owner of the key set. */
  readonly held_limits: string[]
  /** The key whose limits it counts in; null for its own. */
  readonly limits_id: string | null
  /** The key that took its place. */
  readonly replaced_by: string | null
  /** The account that revoked it. */
  readonly revoked_by: string | null
  readonly revoke_reason: string | null
  readonly project_id: string
  readonly project: string
  readonly organization_id: string
}

export type NewKey = {
  readonly projectId: string
  readonly createdByAccountId: string | null
  readonly name: string
  readonly expiresAt: Date | null
  /** The key whose limits it counts in; its own if absent or null. */
  readonly limitsId?: string | null
  readonly heldLimits?: readonly string[]
} & Partial<KeySettings>

/** What a key may use; null means no restriction of its own. */
export type KeySettings = {
  readonly models: readonly string[] | null
  readonly ignoredParameters: readonly string[]
  readonly requestsPerMinute: number | null
  /** Micro-units per calendar month (UTC). */
  readonly spendingLimit: number | null
}

/**
 * A key's account must be a member of the key's organization: a change of an account raises the
 * versions of its organizations only, and would miss a key elsewhere. No version is raised here,
 * because no identity can be cached for a key that did not exist.
 */
export async function storeApiKey(
  database: Kysely<Tables>,
  key: ApiKey,
  given: NewKey,
): Promise<StoredKey> {
  const id = uuidV7()
  const { projectId, createdByAccountId } = given
  await explainConstraints(async () => {
    const inserted = await database
      .insertInto('api_keys')
      .columns([
        ...(['id', 'project_id', 'created_by', 'name', 'hash', 'prefix', 'last4'] as const),
        ...(['expires_at', 'models', 'requests_per_minute', 'spending_limit'] as const),
        ...(['limits_id', 'held_limits', 'ignored_parameters'] as const),
      ])
      .expression((expression) => {
        const { prefix, last4 } = displayParts(key)
        const source = expression
          .selectFrom('projects')
          .select([
            sql<string>`${id}::uuid`.as('id'),
            'projects.id as project_id',
            sql<string | null>`${createdByAccountId}::uuid`.as('created_by'),
            sql<string>`${given.name}::text`.as('name'),
            sql<Buffer>`${hashApiKey(key)}::bytea`.as('hash'),
            sql<string>`${prefix}::text`.as('prefix'),
            sql<string>`${last4}::text`.as('last4'),
            sql<Date | null>`${given.expiresAt}::timestamptz`.as('expires_at'),
            sql<string[] | null>`${given.models ?? null}::text[]`.as('models'),
            sql<number | null>`${given.requestsPerMinute ?? null}::bigint`.as('per_minute'),
            sql<number | null>`${given.spendingLimit ?? null}::bigint`.as('spending_limit'),
            sql<string | null>`${given.limitsId ?? null}::uuid`.as('limits_id'),
            sql<string[]>`${given.heldLimits ?? []}::text[]`.as('held_limits'),
            sql<string[]>`${given.ignoredParameters ?? []}::text[]`.as('ignored_parameters'),
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
        .select(KEY_COLUMNS)
        .where('api_keys.id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined)
    throw new ChangeRefused(`API key ${JSON.stringify(id)} not found`, { kind: 'not_found' })
  return row
}

/** Including one that is revoked or expired. */
export async function findApiKeyByHash(
  database: Kysely<Tables>,
  hash: Buffer,
): Promise<StoredKey | undefined> {
  return database
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(KEY_COLUMNS)
    .where('api_keys.hash', '=', hash)
    .executeTakeFirst()
}

export type KeyReference = Pick<StoredKey, 'id' | 'organization_id'>

export type KeyChanges = Partial<
  KeySettings & {
    readonly name: string
    readonly expiresAt: Date | null
    readonly heldLimits: readonly string[]
  }
>

/** Limits that keys which replace each other have in common. */
const SHARED_LIMITS = ['requests_per_minute', 'spending_limit']

/**
 * Absent settings stay as they are. Limits are those of all keys that replace each other, because
 * these count together.
 */
export async function changeApiKey(
  database: Kysely<Tables>,
  key: KeyReference,
  changes: KeyChanges,
): Promise<Changed<StoredKey>> {
  const { name, models, expiresAt, requestsPerMinute, spendingLimit, heldLimits } = changes
  const { ignoredParameters: ignored } = changes
  return withinTransaction(database, async (transaction) => {
    const raised = await raiseVersions(transaction, [key.organization_id])
    const before = await findApiKey(transaction, key.id)
    const own = {
      ...(name === undefined ? {} : { name }),
      ...(models === undefined ? {} : { models: models === null ? null : [...models] }),
      ...(ignored === undefined ? {} : { ignored_parameters: [...ignored] }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(heldLimits === undefined ? {} : { held_limits: [...heldLimits] }),
    }
    const limits = {
      ...(requestsPerMinute === undefined ? {} : { requests_per_minute: requestsPerMinute }),
      ...(spendingLimit === undefined ? {} : { spending_limit: spendingLimit }),
    }
    const shared =
      heldLimits === undefined ? limits : { ...limits, held_limits: heldInCommon(heldLimits) }
    await explainConstraints(async () => {
      if (Object.keys(limits).length > 0)
        await changeLimits(transaction, before.limits_id ?? before.id, shared)
      if (Object.keys(own).length > 0)
        await transaction.updateTable('api_keys').set(own).where('id', '=', key.id).execute()
    })
    return { value: await findApiKey(transaction, key.id), raised }
  })
}

/** The held limits of a key that shares some of them: these change, its own stay. */
function heldInCommon(held: readonly string[]): RawBuilder<string[]> {
  const shared = held.filter((limit) => SHARED_LIMITS.includes(limit))
  return sql`array(select unnest(held_limits) except select unnest(${SHARED_LIMITS}::text[]))
    || ${shared}::text[]`
}

/** Of all keys that count these limits. */
async function changeLimits(
  transaction: Transaction<Tables>,
  limitsId: string,
  limits: {
    requests_per_minute?: number | null
    spending_limit?: number | null
    held_limits?: RawBuilder<string[]>
  },
): Promise<void> {
  // Locked in the order of their ids, as the times of their last use are written.
  await transaction
    .selectFrom('api_keys')
    .select('id')
    .where((where) => where.or([where('id', '=', limitsId), where('limits_id', '=', limitsId)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await transaction
    .updateTable('api_keys')
    .set(limits)
    .where((where) => where.or([where('id', '=', limitsId), where('limits_id', '=', limitsId)]))
    .execute()
}

/** Who revoked a key, and why. */
export type Revocation = { readonly by?: string | null; readonly reason?: string | null }

/**
 * Revoking twice is not an error and raises the version again, so that a revocation that did not
 * reach Valkey can be repeated. The first one is kept.
 */
export async function revokeApiKey(
  database: Kysely<Tables>,
  key: KeyReference,
  { by = null, reason = null }: Revocation = {},
): Promise<Changed<StoredKey>> {
  return withinTransaction(database, async (transaction) => {
    const raised = await raiseVersions(transaction, [key.organization_id])
    const revoked = { revoked_at: sql<Date>`now()`, revoked_by: by, revoke_reason: reason }
    await explainConstraints(() =>
      transaction
        .updateTable('api_keys')
        .set(revoked)
        .where('id', '=', key.id)
        .where('revoked_at', 'is', null)
        .execute(),
    )
    return { value: await findApiKey(transaction, key.id), raised }
  })
}
