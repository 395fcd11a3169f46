import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** The models of keys that were not revoked, at most so many; null means all of the plan. */
export async function listKeyModels(
  database: Kysely<Tables>,
  organizationId: string,
  atMost: number,
): Promise<(readonly string[] | null)[]> {
  const { rows } = await sql<{ models: string[] | null }>`
    select models from api_keys
    where organization_id = ${organizationId} and revoked_at is null
    order by id limit ${atMost}`.execute(database)
  return rows.map(({ models }) => models)
}
