import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
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
      .set({
        verified_at: sql<Date>`coalesce(verified_at, now())`,
        checked_at: sql<Date>`now()`,
        misses: 0,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'sso_domains_verified_key')
      return undefined
    throw error
  }
}

/**
 * Takes verified domains that were not looked up for a day, those of longest ago first. Nobody else
 * gets them before the next day, whatever becomes of this look-up.
 */
export async function claimDueDomains(
  database: Kysely<Tables>,
  limit: number,
): Promise<DomainRow[]> {
  return database
    .updateTable('sso_domains')
    .set({ checked_at: sql<Date>`now()` })
    .where('id', 'in', (select) =>
      select
        .selectFrom('sso_domains')
        .select('id')
        .where('verified_at', 'is not', null)
        .where('checked_at', '<', sql<Date>`now() - interval '1 day'`)
        .orderBy('checked_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute()
}

/** Undefined if the domain is gone, not verified any more, or was looked up in the meantime. */
export async function lockVerifiedDomain(
  transaction: Transaction<Tables>,
  { id, misses }: Pick<DomainRow, 'id' | 'misses'>,
): Promise<DomainRow | undefined> {
  return transaction
    .selectFrom('sso_domains')
    .selectAll()
    .where('id', '=', id)
    .where('verified_at', 'is not', null)
    .where('misses', '=', misses)
    .forUpdate()
    .executeTakeFirst()
}

export async function setMisses(
  transaction: Transaction<Tables>,
  { id, verified_at }: Pick<DomainRow, 'id' | 'verified_at'>,
  misses: number,
): Promise<void> {
  await transaction
    .updateTable('sso_domains')
    .set({ verified_at, misses })
    .where('id', '=', id)
    .execute()
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

/** Whether an organization of the account allows only SSO, and has not verified this domain. */
export async function needsOtherDomain(
  database: Kysely<Tables>,
  accountId: string,
  domain: string,
): Promise<boolean> {
  const found = await database
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select('organizations.id')
    .where('memberships.account_id', '=', accountId)
    .where('memberships.state', '=', 'active')
    .where('organizations.sso_only', '=', true)
    .where(
      sql<boolean>`not exists (select from sso_domains
        where sso_domains.organization_id = organizations.id and sso_domains.domain = ${domain}
          and sso_domains.verified_at is not null)`,
    )
    .executeTakeFirst()
  return found !== undefined
}
