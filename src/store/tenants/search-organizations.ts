import { sql, type Kysely, type RawBuilder } from 'kysely'
import { isUuid, type Page } from '../postgres/page.ts'
import {
  inOrder,
  pageInOrder,
  SORTED_MAX,
  type Order,
  type Sorted,
} from '../postgres/page-in-order.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { COUNT_MAX, countRows } from './search-accounts.ts'
import { anywhere, isIndexed, LAST_CHARACTER, MATCHES_MAX, pageOfFound } from './search-term.ts'

type OrganizationOrder = Order<'name' | 'plan'>

const SORTED_BY: Readonly<Record<OrganizationOrder['by'], RawBuilder<unknown>>> = {
  name: sql`lower(organizations.name) collate "C"`,
  plan: sql`organizations.plan collate "C"`,
}

/**
 * All, or those that have the term in their name or slug, or as their id: newest first, or in the
 * order that was asked for.
 */
export async function searchOrganizations(
  database: Kysely<Tables>,
  term: string | undefined,
  { limit, after, order }: Page & { readonly order?: OrganizationOrder | undefined },
): Promise<OrganizationRow[]> {
  const every = database.selectFrom('organizations').selectAll()
  if (order !== undefined) {
    const sorted = sortedOf(term, order)
    return every
      .where('id', 'in', pageInOrder(sorted, { limit, ...(after && { after }) }))
      .orderBy(inOrder(sorted))
      .execute()
  }
  const all = every.orderBy('id', 'desc')
  if (term !== undefined)
    return all
      .where('id', 'in', pageOfFound(queriesOf(term), { limit, ...(after && { after }) }))
      .execute()
  return all
    .where('deleted_at', 'is', null)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .limit(limit)
    .execute()
}

function sortedOf(term: string | undefined, { by, descending }: OrganizationOrder): Sorted {
  const condition = sql`organizations.deleted_at is null`
  return {
    rows: sql`organizations`,
    id: sql`organizations.id`,
    key: SORTED_BY[by],
    descending,
    newest:
      term === undefined
        ? sql`select id from organizations where ${condition} order by id desc limit ${SORTED_MAX}`
        : pageOfFound(queriesOf(term), { limit: SORTED_MAX }),
    condition,
  }
}

function queriesOf(term: string): RawBuilder<unknown>[] {
  const found = (condition: RawBuilder<unknown>, order = sql``) => sql`
    select id from organizations where deleted_at is null and (${condition})
    ${order} limit ${MATCHES_MAX}`
  if (isUuid(term)) return [found(sql`id = ${term}`)]
  const text = sql`lower(${term})`
  const named = sql`lower(name) collate "C"`
  const beginnings = [
    found(
      sql`slug ~>=~ ${text} and slug ~<~ (${text} || ${LAST_CHARACTER})`,
      sql`order by slug using ~<~`,
    ),
    found(
      sql`${named} >= ${text} and ${named} < (${text} || ${LAST_CHARACTER})`,
      sql`order by ${named}, id`,
    ),
  ]
  if (!isIndexed(term)) return beginnings
  const pattern = sql`lower(${anywhere(term)})`
  return [...beginnings, found(sql`lower(name) like ${pattern} or slug like ${pattern}`)]
}

/** The number of organizations, counted up to a bound. */
export async function countOrganizations(
  database: Kysely<Tables>,
  atMost = COUNT_MAX + 1,
): Promise<number> {
  const some = database
    .selectFrom('organizations')
    .select('id')
    .where('deleted_at', 'is', null)
    .limit(atMost)
  return countRows(database, some)
}
