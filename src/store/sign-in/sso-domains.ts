import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { DatabaseError } from 'pg'
import { uuidV7 } from '../../lib/uuid.ts'
import type { PlatformTables } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'

/** A list of them needs no pages. */
export const DOMAINS_MAX = 100

export type DomainRow = Selectable<PlatformTables['sso_domains']>

/** Undefined if the organization has the domain already. */
export async function addDomain(
  database: Kysely<Tables>,
  organizationId: string,
  domain: string,
  challenge: string,
): Promise<DomainRow | undefined> {
  return database
    .insertInto('sso_domains')
    .values({ id: uuidV7(), organization_id: organizationId, domain, challenge, verified_at: null })
    .onConflict((conflict) => conflict.columns(['organization_id', 'domain']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function findDomain(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<DomainRow | undefined> {
  return database
    .selectFrom('sso_domains')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Newest first. */
export async function listDomains(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<DomainRow[]> {
  return database
    .selectFrom('sso_domains')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .limit(DOMAINS_MAX)
    .execute()
}

/** Undefined if another organization has verified the domain: it belongs to one only. */
export async function markDomainVerified(
  database: Kysely<Tables>,
  id: string,
): Promise<DomainRow | undefined> {
  try {
    return await database
      .updateTable('sso_domains')
      .set({ verified_at: sql<Date>`coalesce(verified_at, now())` })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'sso_domains_verified_key')
      return undefined
    throw error
  }
}

export async function deleteDomain(database: Kysely<Tables>, id: string): Promise<void> {
  await database.deleteFrom('sso_domains').where('id', '=', id).execute()
}

/** The organization that has verified this domain. */
export async function findDomainOwner(
  database: Kysely<Tables>,
  domain: string,
): Promise<string | undefined> {
  const row = await database
    .selectFrom('sso_domains')
    .select('organization_id')
    .where('domain', '=', domain)
    .where('verified_at', 'is not', null)
    .executeTakeFirst()
  return row?.organization_id
}
