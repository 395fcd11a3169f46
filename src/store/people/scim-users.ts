import { sql, type Kysely, type Transaction } from 'kysely'
import type { MembershipState } from '../../tenancy/identity.ts'
import { normalEmail } from '../../tenancy/email.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid } from '../postgres/page.ts'
import type { AccountRow, Tables } from '../postgres/tables.ts'
import { explainConstraints } from '../tenants/changes.ts'

/** What a provider says about a person. */
export type ScimProfile = {
  readonly userName: string
  readonly externalId: string | null
  readonly displayName: string | null
  readonly givenName: string | null
  readonly familyName: string | null
}

/** A member as a provider sees them. */
export type ScimUser = ScimProfile & {
  readonly id: string
  /** The address of the account, with which the person signs in. */
  readonly email: string
  readonly state: MembershipState
  readonly role: Role
  /** Whether the provider has written the profile, or there is only a membership. */
  readonly linked: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** `id`, `userName` and `externalId` of the filters that providers send. */
export type ScimUserFilter = {
  readonly attribute: 'id' | 'userName' | 'externalId'
  readonly value: string
}

export type ScimPage = { readonly offset: number; readonly limit: number }

/**
 * What a provider sees: whom it has linked, and active members with an address in a domain that the
 * organization has verified. Nobody else exists for it.
 */
function visibleUsers(database: Kysely<Tables>, organizationId: string) {
  return database
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .leftJoin('scim_users', (join) =>
      join
        .onRef('scim_users.account_id', '=', 'memberships.account_id')
        .onRef('scim_users.organization_id', '=', 'memberships.organization_id'),
    )
    .where('memberships.organization_id', '=', organizationId)
    .where(
      sql<boolean>`(scim_users.account_id is not null or (memberships.state = 'active'
        and exists (select from sso_domains
          where sso_domains.organization_id = memberships.organization_id
            and sso_domains.verified_at is not null
            and sso_domains.domain = lower(split_part(accounts.email, '@', 2)))))`,
    )
}

function found(database: Kysely<Tables>, organizationId: string, filter?: ScimUserFilter) {
  const all = visibleUsers(database, organizationId)
  if (filter === undefined) return all
  const { attribute, value } = filter
  if (attribute === 'id') return all.where('memberships.account_id', '=', value)
  if (attribute === 'externalId') return all.where('scim_users.external_id', '=', value)
  return all.where(
    sql<boolean>`lower(coalesce(scim_users.user_name, accounts.email)) = ${normalEmail(value)}`,
  )
}

/** In the order in which their accounts were made, and how many there are. */
export async function listScimUsers(
  database: Kysely<Tables>,
  organizationId: string,
  { offset, limit }: ScimPage,
  filter?: ScimUserFilter,
): Promise<{ readonly total: number; readonly users: ScimUser[] }> {
  if (filter?.attribute === 'id' && !isUuid(filter.value)) return { total: 0, users: [] }
  const { total } = await found(database, organizationId, filter)
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await found(database, organizationId, filter)
    .select(['memberships.account_id as id', 'accounts.email'])
    .select(['memberships.state', 'memberships.role'])
    .select([
      sql<string>`coalesce(scim_users.user_name, accounts.email)`.as('userName'),
      'scim_users.external_id as externalId',
      'scim_users.display_name as displayName',
      'scim_users.given_name as givenName',
      'scim_users.family_name as familyName',
      sql<boolean>`scim_users.account_id is not null`.as('linked'),
      sql<Date>`coalesce(scim_users.created_at, memberships.created_at)`.as('createdAt'),
      sql<Date>`coalesce(scim_users.updated_at, memberships.created_at)`.as('updatedAt'),
    ])
    .orderBy('memberships.account_id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { total, users: rows }
}

export async function findScimUser(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ScimUser | undefined> {
  const filter = { attribute: 'id', value: id } as const
  const { users } = await listScimUsers(database, organizationId, { offset: 0, limit: 1 }, filter)
  return users[0]
}

/** Which of these ids are users that the provider sees. */
export async function findVisibleUsers(
  database: Kysely<Tables>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await visibleUsers(database, organizationId)
    .select('memberships.account_id as id')
    .where(sql<boolean>`memberships.account_id = any(${ids}::uuid[])`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export async function findAccountByEmail(
  database: Kysely<Tables>,
  email: string,
): Promise<AccountRow | undefined> {
  return database
    .selectFrom('accounts')
    .selectAll()
    .where(sql`lower(email)`, '=', normalEmail(email))
    .executeTakeFirst()
}

type UserKey = { readonly organizationId: string; readonly accountId: string }

/** Links a member to what the provider says, or changes it. */
export async function storeScimUser(
  transaction: Transaction<Tables>,
  { organizationId, accountId }: UserKey,
  { userName, externalId, displayName, givenName, familyName }: ScimProfile,
): Promise<void> {
  const profile = {
    user_name: userName,
    external_id: externalId,
    display_name: displayName,
    given_name: givenName,
    family_name: familyName,
  }
  await explainConstraints(() =>
    transaction
      .insertInto('scim_users')
      .values({ organization_id: organizationId, account_id: accountId, ...profile })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'account_id'])
          .doUpdateSet({ ...profile, updated_at: sql<Date>`now()` }),
      )
      .execute(),
  )
}

/** Also takes them out of the groups of the organization. */
export async function deleteScimUser(
  transaction: Transaction<Tables>,
  { organizationId, accountId }: UserKey,
): Promise<void> {
  await transaction
    .deleteFrom('scim_group_members')
    .where('account_id', '=', accountId)
    .where('group_id', 'in', (select) =>
      select
        .selectFrom('scim_groups')
        .select('id')
        .where('scim_groups.organization_id', '=', organizationId),
    )
    .execute()
  await transaction
    .deleteFrom('scim_users')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .execute()
}

/**
 * Whether another owner can get in: with an account that is not restricted and, where only SSO is
 * allowed, an address in a verified domain. The organization must be locked.
 */
export async function hasOwnerWhoEnters(
  transaction: Transaction<Tables>,
  organizationId: string,
  exceptId: string,
): Promise<boolean> {
  const other = await transaction
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select('memberships.account_id')
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'owner')
    .where('memberships.state', '=', 'active')
    .where('memberships.account_id', '<>', exceptId)
    .where('accounts.state', '=', 'active')
    .where(
      sql<boolean>`(not organizations.sso_only or exists (select from sso_domains
        where sso_domains.organization_id = organizations.id
          and sso_domains.verified_at is not null
          and sso_domains.domain = lower(split_part(accounts.email, '@', 2))))`,
    )
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}
