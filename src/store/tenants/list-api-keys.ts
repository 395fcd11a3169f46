import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Page } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import { KEY_COLUMNS, type StoredKey } from './api-keys.ts'

export type KeyFilter = {
  readonly organizationId: string
  readonly projectId?: string
  /** An account; null for the keys of the organization. */
  readonly ownerId?: string | null
  /** Neither revoked nor expired. */
  readonly activeOnly?: boolean
  /** The beginning of the name, in any case. */
  readonly namePrefix?: string
  /** The last four characters. */
  readonly last4?: string
}

// As the index has it. The order of bytes makes a prefix a range.
const NAME = sql<string>`lower(api_keys.name) collate "C"`
const LAST_CHARACTER = '\u{10ffff}'

/** In the order of ids, or of names if a prefix of the name is given: each has its own index. */
export async function listApiKeys(
  database: Kysely<Tables>,
  filter: KeyFilter,
  { limit, after, newestFirst = false }: Page,
): Promise<StoredKey[]> {
  const filtered = selectKeys(database, filter)
  if (filter.namePrefix === undefined)
    return filtered
      .$if(after !== undefined, (query) =>
        query.where('api_keys.id', newestFirst ? '<' : '>', after ?? ''),
      )
      .orderBy('api_keys.id', newestFirst ? 'desc' : 'asc')
      .limit(limit)
      .execute()
  const from = filter.namePrefix
  return filtered
    .where(sql<boolean>`${NAME} >= lower(${from}) collate "C"`)
    .where(sql<boolean>`${NAME} < (lower(${from}) || ${LAST_CHARACTER}) collate "C"`)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(${NAME}, api_keys.id) > (
          select lower(last.name) collate "C", last.id from api_keys last
          where last.id = ${after} and last.organization_id = ${filter.organizationId})`,
      ),
    )
    .orderBy(NAME)
    .orderBy('api_keys.id')
    .limit(limit)
    .execute()
}

function selectKeys(
  database: Kysely<Tables>,
  { organizationId, projectId, ownerId, last4, activeOnly = false }: KeyFilter,
) {
  return (
    database
      .selectFrom('api_keys')
      .innerJoin('projects', 'projects.id', 'api_keys.project_id')
      .select(KEY_COLUMNS)
      .where('api_keys.organization_id', '=', organizationId)
      .$if(projectId !== undefined, (query) =>
        query.where('api_keys.project_id', '=', projectId ?? ''),
      )
      .$if(ownerId === null, (query) => query.where('api_keys.created_by', 'is', null))
      .$if(typeof ownerId === 'string', (query) =>
        query.where('api_keys.created_by', '=', ownerId ?? ''),
      )
      .$if(last4 !== undefined, (query) => query.where('api_keys.last4', '=', last4 ?? ''))
      // Expired keys are read and left out: no index can tell them.
      .$if(activeOnly, (query) =>
        query
          .where('api_keys.revoked_at', 'is', null)
          .where(sql<boolean>`coalesce(api_keys.expires_at, 'infinity') > now()`),
      )
  )
}
