import { sql, type Kysely } from 'kysely'
import type { Page } from '../postgres/page.ts'
import type { Tables } from '../postgres/tables.ts'

// What the service knows of one person, for themselves: facts, but no secrets and nobody else's.

/** Every organization that the account is or was a member of, by id. */
export async function listMembershipsOf(
  database: Kysely<Tables>,
  accountId: string,
  { after, limit }: Page,
) {
  return database
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.slug', 'organizations.name'])
    .select(['memberships.role', 'memberships.state', 'memberships.created_at'])
    .where('memberships.account_id', '=', accountId)
    .$if(after !== undefined, (query) => query.where('organizations.id', '>', after ?? ''))
    .orderBy('organizations.id')
    .limit(limit)
    .execute()
}

/** API keys that belong to the account, by id. */
export async function listKeysOf(
  database: Kysely<Tables>,
  accountId: string,
  { after, limit }: Page,
) {
  return database
    .selectFrom('api_keys')
    .select(['id', 'organization_id', 'project_id', 'name', 'prefix', 'last4'])
    .select(['created_at', 'expires_at', 'revoked_at', 'last_used_at'])
    .where('created_by', '=', accountId)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Management keys that the account created, by id. */
export async function listManagementKeysOf(
  database: Kysely<Tables>,
  accountId: string,
  { after, limit }: Page,
) {
  return database
    .selectFrom('management_keys')
    .select(['id', 'organization_id', 'name', 'prefix', 'last4', 'scopes'])
    .select(['created_at', 'expires_at', 'revoked_at', 'last_used_at'])
    .where('created_by', '=', accountId)
    .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** How identity providers know the person. */
export async function listIdentitiesOf(database: Kysely<Tables>, accountId: string) {
  return database
    .selectFrom('sso_identities')
    .innerJoin('sso_connections', 'sso_connections.id', 'sso_identities.connection_id')
    .select(['sso_connections.issuer', 'sso_identities.subject', 'sso_identities.created_at'])
    .where('sso_identities.account_id', '=', accountId)
    .execute()
}

/** What identity providers have stored about the person, with the names of their groups. */
export async function listProvisionedOf(database: Kysely<Tables>, accountId: string) {
  return database
    .selectFrom('scim_users')
    .select(['organization_id', 'user_name', 'external_id', 'display_name', 'given_name'])
    .select(['family_name', 'created_at', 'updated_at'])
    .select((select) =>
      select
        .selectFrom('scim_group_members')
        .innerJoin('scim_groups', 'scim_groups.id', 'scim_group_members.group_id')
        .select(
          sql<string[]>`coalesce(array_agg(display_name order by display_name), '{}')`.as('of'),
        )
        .where('scim_group_members.account_id', '=', accountId)
        .whereRef('scim_groups.organization_id', '=', 'scim_users.organization_id')
        .as('groups'),
    )
    .where('account_id', '=', accountId)
    .orderBy('organization_id')
    .execute()
}

/**
 * What the account did, newest first. Without labels and changes: they may name others, and belong
 * to organizations that the person may have left.
 */
export async function listEventsOf(
  database: Kysely<Tables>,
  accountId: string,
  { after, limit }: Page,
) {
  return database
    .selectFrom('audit_events')
    .select(['id', 'made_at', 'organization_id', 'action'])
    .select(['target_kind', 'target_id', 'request_id'])
    .where('actor_id', '=', accountId)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
