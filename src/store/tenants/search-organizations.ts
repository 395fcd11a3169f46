import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Page } from '../postgres/page.ts'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'
import { COUNT_MAX, countRows } from './search-accounts.ts'

/** At most one of them, because each has an index of its own. */
export type OrganizationFilter = {
  readonly slugPrefix?: string
  readonly namePrefix?: string
}

/** Above every character that can follow the prefix. */
const END = '\u{10FFFF}'

/** Newest first; those of a prefix by slug or by name. */
export async function searchOrganizations(
  database: Kysely<Tables>,
  { slugPrefix, namePrefix }: OrganizationFilter,
  { limit, after }: Page,
): Promise<OrganizationRow[]> {
  const all = database
    .selectFrom('organizations')
    .selectAll()
    .where('deleted_at', 'is', null)
    .limit(limit)
  const last = sql`(select slug from organizations where id = ${after ?? null})`
  if (slugPrefix !== undefined)
    return all
      .where(sql<boolean>`slug ~>=~ ${slugPrefix}`)
      .where(sql<boolean>`slug ~<~ ${slugPrefix + END}`)
      .$if(after !== undefined, (query) => query.where(sql<boolean>`slug ~>~ ${last}`))
      .orderBy(sql`slug using ~<~`)
      .execute()
  if (namePrefix !== undefined)
    return listByName(database, namePrefix, { limit, ...(after !== undefined && { after }) })
  return all
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .execute()
}

/** Names are not unique, so that the id is part of the order. */
async function listByName(
  database: Kysely<Tables>,
  prefix: string,
  { limit, after }: Page,
): Promise<OrganizationRow[]> {
  const named = sql`lower(name) collate "C"`
  const from = sql`lower(${prefix})`
  return database
    .selectFrom('organizations')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`${named} >= ${from}`)
    .where(sql<boolean>`${named} < (${from} || ${END})`)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(${named}, id) >
          ((select lower(name) from organizations where id = ${after}), ${after}::uuid)`,
      ),
    )
    .orderBy(named)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The number of organizations, at most `COUNT_MAX` + 1. */
export async function countOrganizations(database: Kysely<Tables>): Promise<number> {
  const some = database
    .selectFrom('organizations')
    .select('id')
    .where('deleted_at', 'is', null)
    .limit(COUNT_MAX + 1)
  return countRows(database, some)
}
