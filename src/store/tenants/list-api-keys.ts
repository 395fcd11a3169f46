import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isUuid, type Page } from '../postgres/page.ts'
import {
  inOrder,
  pageInOrder,
  SORTED_MAX,
  type Order,
  type Sorted,
} from '../postgres/page-in-order.ts'
import type { Tables } from '../postgres/tables.ts'
import { KEY_COLUMNS, type StoredKey } from './api-keys.ts'
import { anywhere, isIndexed, LAST_CHARACTER, MATCHES_MAX, pageOfFound } from './search-term.ts'

const LAST_FOUR = 4

export type KeyFilter = {
  readonly organizationId: string
  readonly projectId?: string
  /** An account; null for the keys of the organization. */
  readonly ownerId?: string | null
  /** Neither revoked nor expired. */
  readonly activeOnly?: boolean
  /** A part of the name, the last four characters, or the id. */
  readonly term?: string
}

export type KeyOrder = Order<'created' | 'name' | 'expires' | 'last_used'>

const NEWEST_FIRST: KeyOrder = { by: 'created', descending: true }

/** In the order of ids, or in the order that was asked for. A search is bounded by itself. */
export async function listApiKeys(
  database: Kysely<Tables>,
  filter: KeyFilter,
  { limit, after, newestFirst = false, order }: Page & { readonly order?: KeyOrder | undefined },
): Promise<StoredKey[]> {
  const keys = database
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(KEY_COLUMNS)
  const { term } = filter
  const { by, descending } = order ?? NEWEST_FIRST
  if (by !== 'created' || !descending) {
    const sorted = sortedOf(filter, { by, descending })
    return keys
      .where('api_keys.id', 'in', pageInOrder(sorted, { limit, ...(after && { after }) }))
      .orderBy(inOrder(sorted))
      .execute()
  }
  if (term !== undefined) {
    const page = pageOfFound(queriesOf(term, filter), { limit, ...(after && { after }) })
    return keys.where('api_keys.id', 'in', page).orderBy('api_keys.id', 'desc').execute()
  }
  return keys
    .where(conditionOf(filter))
    .$if(after !== undefined, (query) =>
      query.where('api_keys.id', newestFirst ? '<' : '>', after ?? ''),
    )
    .orderBy('api_keys.id', newestFirst ? 'desc' : 'asc')
    .limit(limit)
    .execute()
}

/** How many there are of a filter without a term, counted up to a bound. */
export async function countListed(
  database: Kysely<Tables>,
  filter: Omit<KeyFilter, 'term'>,
  atMost: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from api_keys where ${conditionOf(filter)} limit ${atMost}
    ) as counted`.execute(database)
  return rows[0]?.count ?? 0
}

const SORTED_BY: Readonly<Record<KeyOrder['by'], RawBuilder<unknown>>> = {
  created: sql`api_keys.id`,
  name: sql`lower(api_keys.name) collate "C"`,
  expires: sql`coalesce(api_keys.expires_at, 'infinity')`,
  last_used: sql`coalesce(api_keys.last_used_at, '-infinity')`,
}

function sortedOf(filter: KeyFilter, { by, descending }: KeyOrder): Sorted {
  return {
    rows: sql`api_keys`,
    id: sql`api_keys.id`,
    key: SORTED_BY[by],
    descending,
    newest:
      filter.term === undefined
        ? sql`select api_keys.id from api_keys where ${conditionOf(filter)}
            order by api_keys.id desc limit ${SORTED_MAX}`
        : pageOfFound(queriesOf(filter.term, filter), { limit: SORTED_MAX }),
    condition: sql`api_keys.organization_id = ${filter.organizationId}`,
  }
}

function conditionOf(filter: KeyFilter): RawBuilder<boolean> {
  const { organizationId, projectId, ownerId, activeOnly = false } = filter
  const all = [sql`api_keys.organization_id = ${organizationId}`]
  if (projectId !== undefined) all.push(sql`api_keys.project_id = ${projectId}`)
  if (ownerId === null) all.push(sql`api_keys.created_by is null`)
  else if (ownerId !== undefined) all.push(sql`api_keys.created_by = ${ownerId}`)
  // Expired keys are read and left out: no index can tell them.
  if (activeOnly)
    all.push(
      sql`api_keys.revoked_at is null`,
      sql`coalesce(api_keys.expires_at, 'infinity') > now()`,
    )
  return sql<boolean>`(${sql.join(all, sql` and `)})`
}

function queriesOf(term: string, filter: KeyFilter): RawBuilder<unknown>[] {
  const found = (condition: RawBuilder<unknown>, order = sql``) => sql`
    select id from api_keys where ${conditionOf(filter)} and ${condition}
    ${order} limit ${MATCHES_MAX}`
  if (isUuid(term)) return [found(sql`id = ${term}`)]
  const text = sql`lower(${term}) collate "C"`
  // As the index has it. The order of bytes makes a beginning a range.
  const named = sql`lower(name) collate "C"`
  const range = sql`${named} >= ${text} and ${named} < (lower(${term}) || ${LAST_CHARACTER})`
  return [
    found(range, sql`order by ${named}, id`),
    ...(term.length === LAST_FOUR ? [found(sql`last4 = ${term}`)] : []),
    ...(isIndexed(term) ? [found(sql`lower(name) like lower(${anywhere(term)})`)] : []),
  ]
}
