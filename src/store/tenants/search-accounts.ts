import { sql } from 'kysely'
import type { Expression, Kysely, Transaction } from 'kysely'
import type { AccountState } from '../../tenancy/identity.ts'
import type { PlatformRole, Role } from '../../tenancy/role.ts'
import type { Page } from '../postgres/page.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { raiseVersions } from './versions.ts'
import type { Changed } from './changes.ts'
import { normalEmail } from '../../tenancy/email.ts'

/** At most one of them, because each has an index of its own. */
export type AccountFilter = {
  readonly emailPrefix?: string
  readonly state?: AccountState
  readonly platformRole?: PlatformRole
}

/** Above every character that an address begins with after the prefix. */
const END = '\u{10FFFF}'

/** Newest first; waiting accounts oldest first; those of a prefix by address. */
export async function searchAccounts(
  database: Kysely<Tables>,
  { emailPrefix, state, platformRole }: AccountFilter,
  { limit, after }: Page,
): Promise<AccountRow[]> {
  const all = database
    .selectFrom('accounts')
    .selectAll()
    .where('deleted_at', 'is', null)
    .limit(limit)
  if (emailPrefix !== undefined)
    return all
      .where(sql<boolean>`lower(email) ~>=~ ${normalEmail(emailPrefix)}`)
      .where(sql<boolean>`lower(email) ~<~ ${normalEmail(emailPrefix) + END}`)
      .$if(after !== undefined, (query) =>
        query.where(
          sql<boolean>`lower(email) ~>~ (select lower(email) from accounts where id = ${after})`,
        ),
      )
      .orderBy(sql`lower(email) using ~<~`)
      .execute()
  const oldestFirst = state === 'waiting'
  return all
    .$if(state !== undefined, (query) => query.where('state', '=', sql.lit(state ?? 'waiting')))
    .$if(platformRole !== undefined, (query) =>
      query.where('platform_role', '=', platformRole ?? 'operator'),
    )
    .$if(after !== undefined, (query) => query.where('id', oldestFirst ? '>' : '<', after ?? ''))
    .orderBy('id', oldestFirst ? 'asc' : 'desc')
    .execute()
}

/** Counting stops here: a figure of a page must not read a whole table. */
export const COUNT_MAX = 1_000

/** The number of waiting accounts, at most `COUNT_MAX` + 1. */
export async function countWaiting(database: Kysely<Tables>): Promise<number> {
  const waiting = database
    .selectFrom('accounts')
    .select('id')
    .where('state', '=', sql.lit('waiting'))
    .limit(COUNT_MAX + 1)
  return countRows(database, waiting)
}

/** The query must have a limit. */
export async function countRows(
  database: Kysely<Tables>,
  bounded: Expression<object>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (${bounded}) as bounded`.execute(database)
  return rows[0]?.count ?? 0
}

/**
 * Makes waiting accounts active. Locks all of them before any organization, in the order of their
 * ids, so that two admissions cannot deadlock.
 */
export async function admitAccounts(
  transaction: Transaction<Tables>,
  accountIds: readonly string[],
): Promise<Changed<AccountRow[]>> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where id = any(${accountIds}::uuid[]) and state = 'waiting'
    order by id for no key update`.execute(transaction)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return { value: [], raised: [] }
  const memberships = await transaction
    .selectFrom('memberships')
    .select('organization_id')
    .where('account_id', 'in', ids)
    .execute()
  const organizationIds = memberships.map((membership) => membership.organization_id)
  const raised = await raiseVersions(transaction, organizationIds)
  const value = await transaction
    .updateTable('accounts')
    .set({ state: 'active' })
    .where('id', 'in', ids)
    .returningAll()
    .execute()
  return { value, raised }
}

export type AccountMembership = {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly role: Role
  readonly state: 'active' | 'removed'
}

export async function listMembershipsOf(
  database: Kysely<Tables>,
  accountId: string,
  limit: number,
): Promise<AccountMembership[]> {
  return database
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name'])
    .select(['memberships.role', 'memberships.state'])
    .where('memberships.account_id', '=', accountId)
    .limit(limit)
    .execute()
}

/** When the first account was created; nothing was changed before. Undefined without accounts. */
export async function findFirstAccount(database: Kysely<Tables>): Promise<Date | undefined> {
  const row = await database
    .selectFrom('accounts')
    .select('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}
