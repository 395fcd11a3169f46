import { sql, type Expression, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { AccountState } from '../../tenancy/identity.ts'
import type { PlatformRole, Role } from '../../tenancy/role.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { anywhere, isIndexed, LAST_CHARACTER, MATCHES_MAX, pageOfFound } from './search-term.ts'
import { raiseVersions } from './versions.ts'
import type { Changed } from './changes.ts'
import { normalEmail } from '../../tenancy/email.ts'

/** At most one of them, because each has an index of its own. */
export type AccountFilter = {
  /** A part of the address or of the name, or the id. */
  readonly term?: string
  readonly state?: AccountState
  readonly platformRole?: PlatformRole
}

/** Newest first; waiting accounts oldest first. */
export async function searchAccounts(
  database: Kysely<Tables>,
  { term, state, platformRole }: AccountFilter,
  { limit, after }: Page,
): Promise<AccountRow[]> {
  const all = database.selectFrom('accounts').selectAll().where('deleted_at', 'is', null)
  if (term !== undefined)
    return all
      .where('id', 'in', pageOfFound(queriesOf(term), { limit, ...(after && { after }) }))
      .orderBy('id', 'desc')
      .execute()
  const oldestFirst = state === 'waiting'
  return all
    .$if(state !== undefined, (query) => query.where('state', '=', sql.lit(state ?? 'waiting')))
    .$if(platformRole !== undefined, (query) =>
      query.where('platform_role', '=', platformRole ?? 'operator'),
    )
    .$if(after !== undefined, (query) => query.where('id', oldestFirst ? '>' : '<', after ?? ''))
    .orderBy('id', oldestFirst ? 'asc' : 'desc')
    .limit(limit)
    .execute()
}

function queriesOf(term: string): RawBuilder<unknown>[] {
  const found = (condition: RawBuilder<unknown>, order = sql``) => sql`
    select id from accounts where deleted_at is null and (${condition})
    ${order} limit ${MATCHES_MAX}`
  if (isUuid(term)) return [found(sql`id = ${term}`)]
  const email = normalEmail(term)
  const beginning = found(
    sql`lower(email) ~>=~ ${email} and lower(email) ~<~ ${email + LAST_CHARACTER}`,
    sql`order by lower(email) using ~<~`,
  )
  if (!isIndexed(term)) return [beginning]
  const name = sql`lower(${anywhere(term)})`
  return [beginning, found(sql`lower(email) like ${anywhere(email)} or lower(name) like ${name}`)]
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

type WithoutOrganization = {
  readonly count: number
  readonly newest: { readonly id: string; readonly email: string }[]
}

/**
 * Active people who are in no organization, among the newest `COUNT_MAX`, and the newest five of
 * them. A join could read all memberships; a query for each account reads one.
 */
export async function findWithoutOrganization(
  database: Kysely<Tables>,
): Promise<WithoutOrganization> {
  const { rows } = await sql<{ count: number; newest: WithoutOrganization['newest'] | null }>`
    select count(*) as count, to_json((array_agg(
      json_build_object('id', id, 'email', email) order by id desc))[1:5]) as newest
    from (select id, email, platform_role from accounts
      where state = 'active' and deleted_at is null order by id desc limit ${COUNT_MAX}) as active
    where platform_role is null and (select true from memberships
      where account_id = active.id and state = 'active' limit 1) is null`.execute(database)
  return { count: rows[0]?.count ?? 0, newest: rows[0]?.newest ?? [] }
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
 * Makes waiting accounts active, and gives those that an invitation let in the rights of everybody
 * else. Locks all of them before any organization, in the order of their ids, so that two
 * admissions cannot deadlock.
 */
export async function admitAccounts(
  transaction: Transaction<Tables>,
  accountIds: readonly string[],
): Promise<Changed<AccountRow[]>> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where id = any(${accountIds}::uuid[])
      and (state = 'waiting' or (state = 'active' and by_invitation))
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
    .set({ state: 'active', by_invitation: false })
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
