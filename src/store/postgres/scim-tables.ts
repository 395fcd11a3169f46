import type { ColumnType, Generated } from 'kysely'
import type { Role } from '../../tenancy/role.ts'

// The columns of what identity providers say about people and groups: see tables.ts.

type Fixed<Value> = ColumnType<Value, Value, never>
type CreatedAt = ColumnType<Date, Date | undefined, never>

type ScimTokensTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  name: Fixed<string>
  hash: Fixed<Buffer>
  prefix: Fixed<string>
  last4: Fixed<string>
  created_by: Fixed<string>
  created_at: CreatedAt
  revoked_at: Date | null
  last_used_at: Date | null
}

type ScimUsersTable = {
  organization_id: Fixed<string>
  account_id: Fixed<string>
  user_name: string
  external_id: string | null
  display_name: string | null
  given_name: string | null
  family_name: string | null
  created_at: CreatedAt
  updated_at: Generated<Date>
}

type ScimGroupsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  display_name: string
  external_id: string | null
  created_at: CreatedAt
  updated_at: Generated<Date>
}

type ScimGroupMembersTable = { group_id: Fixed<string>; account_id: Fixed<string> }

type ScimRolesTable = { organization_id: Fixed<string>; group_name: Fixed<string>; role: Role }

export type ScimTables = {
  scim_tokens: ScimTokensTable
  scim_users: ScimUsersTable
  scim_groups: ScimGroupsTable
  scim_group_members: ScimGroupMembersTable
  scim_roles: ScimRolesTable
}
