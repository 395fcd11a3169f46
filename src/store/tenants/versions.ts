import { sql, type Kysely, type Transaction } from 'kysely'
import type { Log } from '../../lib/log.ts'
import type { Tables } from '../postgres/tables.ts'

/**
 * An organization whose cached identities are stale. The code that made the change must publish the
 * new version to Valkey before it responds.
 */
export type RaisedVersion = { readonly organizationId: string; readonly version: number }

/**
 * Raises the versions in the order of the ids, so that two changes to the same organizations cannot
 * deadlock.
 *
 * Must come first in its transaction, or right after the lock of an account: its row locks
 * serialize changes to one organization, and every transaction takes its locks in that order.
 */
export async function raiseVersions(
  transaction: Transaction<Tables>,
  organizationIds: readonly string[],
): Promise<RaisedVersion[]> {
  // Locked first: an update that must wait looks at its rows again when it goes on, and then takes
  // locks in another order than those who wait behind it.
  await sql`
    select from organizations where id = any(${organizationIds}::uuid[]) order by id
    for no key update`.execute(transaction)
  const { rows } = await sql<{ id: string; version: number }>`
    update organizations set version = version + 1 where id = any(${organizationIds}::uuid[])
    returning id, version`.execute(transaction)
  return rows.map((row) => ({ organizationId: row.id, version: row.version }))
}

/**
 * Raises an organization's version above one that Valkey knows and PostgreSQL does not: a failover
 * lost it. Identities that were read before have such versions, so these are not given out again,
 * and Valkey is never lowered: that could undo a revocation. Returns undefined if nothing was lost.
 */
export async function raiseVersionAbove(
  database: Kysely<Tables>,
  organizationId: string,
  known: number,
): Promise<RaisedVersion | undefined> {
  const { rows } = await sql<{ version: number }>`
    update organizations set version = ${known}::bigint + 1
    where id = ${organizationId} and version <= ${known} returning version`.execute(database)
  return rows[0] === undefined ? undefined : { organizationId, version: rows[0].version }
}

/** Repairs versions in the background, one attempt at a time for each organization. */
export function createVersionRepair(
  database: Kysely<Tables>,
  log: Log,
): (organizationId: string, known: number) => void {
  const running = new Set<string>()
  return (organizationId, known) => {
    if (running.has(organizationId)) return
    running.add(organizationId)
    const repaired = raiseVersionAbove(database, organizationId, known).then((raised) => {
      if (raised !== undefined) log.warn({ organizationId }, 'organization version restored')
    })
    // PostgreSQL is unavailable or read-only: a later request tries again.
    void repaired.catch(() => {}).finally(() => running.delete(organizationId))
  }
}

/** A page of organizations by id, with their versions in PostgreSQL. */
export async function listVersions(
  database: Kysely<Tables>,
  after: string,
  limit: number,
): Promise<RaisedVersion[]> {
  const rows = await database
    .selectFrom('organizations')
    .select(['id', 'version'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, version }) => ({ organizationId: id, version }))
}

/**
 * Raises the versions of organizations above those that Valkey knows, where PostgreSQL is behind.
 * Returns the raised ones.
 */
export async function raiseVersionsAbove(
  transaction: Transaction<Tables>,
  known: readonly RaisedVersion[],
): Promise<RaisedVersion[]> {
  const ids = known.map(({ organizationId }) => organizationId)
  await sql`
    select from organizations where id = any(${ids}::uuid[]) order by id
    for no key update`.execute(transaction)
  const { rows } = await sql<{ id: string; version: number }>`
    update organizations set version = given.known + 1
    from unnest(${ids}::uuid[], ${known.map(({ version }) => version)}::bigint[])
      as given (id, known)
    where organizations.id = given.id and organizations.version < given.known
    returning organizations.id, organizations.version`.execute(transaction)
  return rows.map(({ id, version }) => ({ organizationId: id, version }))
}
