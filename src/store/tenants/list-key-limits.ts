import { sql, type Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** An API key, and the id that it counts its limits under. */
export type KeyLimitsId = {
  readonly keyId: string
  readonly organizationId: string
  readonly limitsId: string
}

/** A page of all API keys, by id. */
export async function listKeyLimits(
  database: Kysely<Tables>,
  after: string,
  limit: number,
): Promise<KeyLimitsId[]> {
  const { rows } = await sql<KeyLimitsId>`
    select id as "keyId", organization_id as "organizationId",
      coalesce(limits_id, id) as "limitsId"
    from api_keys where id > ${after} order by id limit ${limit}`.execute(database)
  return rows
}
