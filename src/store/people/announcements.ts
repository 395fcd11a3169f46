import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import type { RaisedVersion } from '../tenants/versions.ts'

/**
 * Notes versions that Valkey must learn, in the transaction that raised them. Whoever made the
 * change announces them and removes the rows; the worker does so for a process that died.
 */
export async function noteRaised(
  transaction: Transaction<Tables>,
  raised: readonly RaisedVersion[],
): Promise<void> {
  if (raised.length === 0) return
  await sql`
    insert into announcements (organization_id, version)
    select * from unnest(${raised.map((each) => each.organizationId)}::uuid[],
      ${raised.map((each) => each.version)}::bigint[])
    on conflict (organization_id) do update
      set version = greatest(announcements.version, excluded.version)`.execute(transaction)
}

export async function removeAnnounced(
  database: Kysely<Tables>,
  { organizationId, version }: RaisedVersion,
): Promise<void> {
  await database
    .deleteFrom('announcements')
    .where('organization_id', '=', organizationId)
    .where('version', '<=', version)
    .execute()
}

/** What nobody has announced for this long, oldest first. */
export async function listUnannounced(
  database: Kysely<Tables>,
  olderThanMs: number,
  limit: number,
): Promise<RaisedVersion[]> {
  const rows = await database
    .selectFrom('announcements')
    .select(['organization_id', 'version'])
    .where('created_at', '<=', sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ organizationId: row.organization_id, version: row.version }))
}
