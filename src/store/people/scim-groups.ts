import { sql, type Kysely, type Transaction } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import type { Role } from '../../tenancy/role.ts'
import { isUuid } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'
import type { ScimPage } from './scim-users.ts'

export type ScimGroup = {
  readonly id: string
  readonly displayName: string
  readonly externalId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type ScimGroupFilter = {
  readonly attribute: 'id' | 'displayName' | 'externalId'
  readonly value: string
}

function found(database: Kysely<Tables>, organizationId: string, filter?: ScimGroupFilter) {
  const all = database.selectFrom('scim_groups').where('organization_id', '=', organizationId)
  if (filter === undefined) return all
  const { attribute, value } = filter
  if (attribute === 'id') return all.where('id', '=', value)
  if (attribute === 'externalId') return all.where('external_id', '=', value)
  return all.where(sql<boolean>`lower(display_name) = lower(${value})`)
}

/** Oldest first, and how many there are. */
export async function listScimGroups(
  database: Kysely<Tables>,
  organizationId: string,
  { offset, limit }: ScimPage,
  filter?: ScimGroupFilter,
): Promise<{ readonly total: number; readonly groups: ScimGroup[] }> {
  if (filter?.attribute === 'id' && !isUuid(filter.value)) return { total: 0, groups: [] }
  const { total } = await found(database, organizationId, filter)
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const groups = await found(database, organizationId, filter)
    .select(['id', 'display_name as displayName', 'external_id as externalId'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { total, groups }
}

export async function findScimGroup(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<ScimGroup | undefined> {
  const filter = { attribute: 'id', value: id } as const
  const { groups } = await listScimGroups(database, organizationId, { offset: 0, limit: 1 }, filter)
  return groups[0]
}

/** The members of each of the groups. */
export async function listGroupMembers(
  database: Kysely<Tables>,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database
    .selectFrom('scim_group_members')
    .select(['group_id', 'account_id'])
    .where('group_id', 'in', groupIds.length === 0 ? [sql<string>`null`] : [...groupIds])
    .orderBy('account_id')
    .execute()
  const members = new Map<string, string[]>(groupIds.map((id) => [id, []]))
  for (const { group_id: groupId, account_id: accountId } of rows)
    members.get(groupId)?.push(accountId)
  return members
}

type GroupFacts = Pick<ScimGroup, 'displayName' | 'externalId'>

export async function createScimGroup(
  transaction: Transaction<Tables>,
  organizationId: string,
  { displayName, externalId }: GroupFacts,
): Promise<string> {
  const id = uuidV7()
  await transaction
    .insertInto('scim_groups')
    .values({
      id,
      organization_id: organizationId,
      display_name: displayName,
      external_id: externalId,
    })
    .execute()
  return id
}

export async function changeScimGroup(
  transaction: Transaction<Tables>,
  id: string,
  { displayName, externalId }: GroupFacts,
): Promise<void> {
  await transaction
    .updateTable('scim_groups')
    .set({ display_name: displayName, external_id: externalId, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export async function setGroupMembers(
  transaction: Transaction<Tables>,
  groupId: string,
  accountIds: readonly string[],
): Promise<void> {
  await sql`
    delete from scim_group_members
    where group_id = ${groupId} and account_id <> all(${accountIds}::uuid[])`.execute(transaction)
  await sql`
    insert into scim_group_members (group_id, account_id)
    select ${groupId}, unnest(${accountIds}::uuid[])
    on conflict do nothing`.execute(transaction)
}

/** Its members go with it. */
export async function deleteScimGroup(transaction: Transaction<Tables>, id: string): Promise<void> {
  await transaction.deleteFrom('scim_groups').where('id', '=', id).execute()
}

export type ScimRole = { readonly group: string; readonly role: Role }

/** Which role the members of a group get, by the name of the group in lower case. */
export async function listScimRoles(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<ScimRole[]> {
  return database
    .selectFrom('scim_roles')
    .select(['group_name as group', 'role'])
    .where('organization_id', '=', organizationId)
    .orderBy('group_name')
    .execute()
}

export async function setScimRoles(
  transaction: Transaction<Tables>,
  organizationId: string,
  roles: readonly ScimRole[],
): Promise<void> {
  await transaction.deleteFrom('scim_roles').where('organization_id', '=', organizationId).execute()
  if (roles.length === 0) return
  const rows = roles.map(({ group, role }) => {
    return { organization_id: organizationId, group_name: group, role }
  })
  await transaction.insertInto('scim_roles').values(rows).execute()
}

/** The roles that groups give: of these accounts, or of all that are in such groups. */
export async function listGivenRoles(
  database: Kysely<Tables>,
  organizationId: string,
  accountIds: readonly string[] | 'all',
): Promise<{ readonly accountId: string; readonly role: Role }[]> {
  return database
    .selectFrom('scim_group_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_group_members.group_id')
    .innerJoin('scim_roles', (join) =>
      join
        .onRef('scim_roles.organization_id', '=', 'scim_groups.organization_id')
        .on(sql<boolean>`scim_roles.group_name = lower(scim_groups.display_name)`),
    )
    .select(['scim_group_members.account_id as accountId', 'scim_roles.role'])
    .where('scim_groups.organization_id', '=', organizationId)
    .$if(accountIds !== 'all', (query) =>
      query.where(sql<boolean>`scim_group_members.account_id = any(${accountIds}::uuid[])`),
    )
    .execute()
}
