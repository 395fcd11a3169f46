import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** More are shown as "100+". */
export const KEYS_COUNTED_MAX = 100

/**
 * Counts keys that were not revoked, of all or of one account, up to a number: an organization may
 * have hundreds of thousands. A range with two equal ends, in the order of an index, keeps
 * PostgreSQL on that index: with `=` and `order by id` it may walk the keys of others by age.
 */
export async function countKeys(
  database: Kysely<Tables>,
  { organizationId, accountId }: { readonly organizationId: string; readonly accountId?: string },
  atMost: number,
): Promise<number> {
  const keys =
    accountId === undefined
      ? sql`organization_id between ${organizationId} and ${organizationId}
          and revoked_at is null order by organization_id, id`
      : sql`organization_id = ${organizationId} and created_by between ${accountId} and ${accountId}
          and revoked_at is null order by created_by, id`
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select 1 from api_keys where ${keys} limit ${atMost}
    ) as counted`.execute(database)
  return rows[0]?.count ?? 0
}

/** The same for each of some projects, each counted up to one more than `KEYS_COUNTED_MAX`. */
export async function countKeysOfProjects(
  database: Kysely<Tables>,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select project.id, (select count(*)::int from (
      select from api_keys
      where api_keys.project_id = project.id and api_keys.revoked_at is null
      limit ${KEYS_COUNTED_MAX + 1}) as counted) as count
    from unnest(${projectIds}::uuid[]) as project (id)`.execute(database)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
