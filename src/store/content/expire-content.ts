import { sql, type Kysely } from 'kysely'
import type { KeptRetention } from '../../tenancy/content-record.ts'
import type { Tables } from '../postgres/tables.ts'

/**
 * Destroys the keys of all days before the given one. Their content becomes unreadable at once, in
 * backups too, and is deleted later. Returns the number of destroyed keys.
 */
export async function destroyExpiredKeys(
  database: Kysely<Tables>,
  retention: KeptRetention,
  beforeDay: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from content_keys where retention = ${retention} and day < ${beforeDay}`.execute(
    database,
  )
  return Number(numAffectedRows ?? 0)
}

/**
 * The same for contributions of organizations that withdrew their consent, and for what a request
 * left that outlived its organization.
 */
export async function destroyWithdrawnKeys(
  database: Kysely<Tables>,
  beforeDay: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from content_keys using organizations
    where organizations.id = content_keys.organization_id
      and (organizations.deleted_at is not null
        or (content_keys.retention = 'contributor' and content_keys.day < ${beforeDay}
          and organizations.retention <> 'contributor'))`.execute(database)
  return Number(numAffectedRows ?? 0)
}
