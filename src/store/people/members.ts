import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { MembershipState } from '../../tenancy/identity.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import {
  inOrder,
  pageInOrder,
  SORTED_MAX,
  type Order,
  type Sorted,
} from '../postgres/page-in-order.ts'
import type { Tables } from '../postgres/tables.ts'
import { KEYS_COUNTED_MAX } from '../tenants/count-keys.ts'
import { normalEmail } from '../../tenancy/email.ts'

export type MemberFacts = {
  readonly account_id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly created_at: Date
}

export type ListedMember = MemberFacts & {
  /** Of the sessions that have not ended. */
  readonly last_seen_at: Date | null
  readonly second_factor: boolean
  /** Keys that were not revoked, counted up to one more than `KEYS_COUNTED_MAX`. */
  readonly keys: number
}

const FACTS = [
  'memberships.account_id',
  'accounts.email',
  'accounts.name',
  'memberships.role',
  'memberships.created_at',
] as const

type MemberOrder = Order<'name' | 'role'>

const SORTED_BY: Readonly<Record<MemberOrder['by'], RawBuilder<unknown>>> = {
  name: sql`lower(coalesce(accounts.name, accounts.email)) collate "C"`,
  role: sql`array_position(array['owner', 'admin', 'member', 'viewer'], memberships.role::text)`,
}

function sortedOf(organizationId: string, { by, descending }: MemberOrder): Sorted {
  const active = sql`memberships.organization_id = ${organizationId}
    and memberships.state = 'active'`
  return {
    rows: sql`memberships join accounts on accounts.id = memberships.account_id
      and memberships.organization_id = ${organizationId}`,
    id: sql`memberships.account_id`,
    key: SORTED_BY[by],
    descending,
    newest: sql`select account_id from memberships where ${active}
      order by account_id desc limit ${SORTED_MAX}`,
    condition: active,
  }
}

/** Active members, in the order of their accounts' ids, or in the order that was asked for. */
export async function listActiveMembers(
  database: Kysely<Tables>,
  organizationId: string,
  { newestFirst = false, order, ...page }: Page & { readonly order?: MemberOrder | undefined },
): Promise<ListedMember[]> {
  const sorted = order && sortedOf(organizationId, order)
  const active = database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(FACTS)
    .select((select) => [
      select
        .selectFrom('sessions')
        .select(sql<Date | null>`max(sessions.seen_at)`.as('seen_at'))
        .whereRef('sessions.account_id', '=', 'memberships.account_id')
        .as('last_seen_at'),
      sql<boolean>`exists (select from passkeys
          where passkeys.account_id = memberships.account_id)
        or exists (select from one_time_factors
          where one_time_factors.account_id = memberships.account_id
            and one_time_factors.confirmed_at is not null)`.as('second_factor'),
      sql<number>`(select count(*)::int from (
          select from api_keys
          where api_keys.organization_id = memberships.organization_id
            and api_keys.created_by = memberships.account_id
            and api_keys.revoked_at is null
          limit ${KEYS_COUNTED_MAX + 1}) as counted)`.as('keys'),
    ])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.state', '=', 'active')
  if (sorted !== undefined)
    return active
      .where('memberships.account_id', 'in', pageInOrder(sorted, page))
      .orderBy(inOrder(sorted))
      .execute()
  return active
    .$if(page.after !== undefined, (query) =>
      query.where('memberships.account_id', newestFirst ? '<' : '>', page.after ?? ''),
    )
    .orderBy('memberships.account_id', newestFirst ? 'desc' : 'asc')
    .limit(page.limit)
    .execute()
}

/** Active members, counted up to a bound. */
export async function countActiveMembers(
  database: Kysely<Tables>,
  organizationId: string,
  atMost: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from memberships where organization_id = ${organizationId} and state = 'active'
      limit ${atMost}) as counted`.execute(database)
  return rows[0]?.count ?? 0
}

/** Undefined if the account never was a member. */
export async function findMember(
  database: Kysely<Tables>,
  organizationId: string,
  accountId: string,
): Promise<(MemberFacts & { readonly state: MembershipState }) | undefined> {
  if (!isUuid(accountId)) return undefined
  return database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select([...FACTS, 'memberships.state'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.account_id', '=', accountId)
    .executeTakeFirst()
}

export async function isMemberByEmail(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const found = await database
    .selectFrom('accounts')
    .innerJoin('memberships', 'memberships.account_id', 'accounts.id')
    .select('memberships.account_id')
    .where(sql`lower(accounts.email)`, '=', normalEmail(email))
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.state', '=', 'active')
    .executeTakeFirst()
  return found !== undefined
}

/** Active owners, those who joined first. */
export async function listOwnerEmails(
  database: Kysely<Tables>,
  organizationId: string,
  limit: number,
): Promise<string[]> {
  const owners = await database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select('accounts.email')
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.state', '=', 'active')
    .orderBy('memberships.created_at')
    .limit(limit)
    .execute()
  return owners.map(({ email }) => email)
}

/** The organization must be locked, so that two owners cannot go at the same time. */
export async function hasAnotherOwner(
  database: Kysely<Tables>,
  organizationId: string,
  accountId: string | null,
): Promise<boolean> {
  const other = await database
    .selectFrom('memberships')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('state', '=', 'active')
    .where('account_id', 'is distinct from', accountId)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/**
 * Makes the organization the owner of a member's keys that are not revoked. Returns how many. The
 * version must be raised in the same transaction.
 */
export async function moveKeysToOrganization(
  transaction: Transaction<Tables>,
  organizationId: string,
  accountId: string,
): Promise<number> {
  // Locked in the order of their ids, as the times of their last use are written.
  await transaction
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const { numUpdatedRows } = await transaction
    .updateTable('api_keys')
    .set({ created_by: null })
    .where('organization_id', '=', organizationId)
    .where('created_by', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
