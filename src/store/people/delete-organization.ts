import { sql, type Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import { raiseVersions } from '../tenants/versions.ts'
import type { Changed } from '../tenants/changes.ts'
import { nameOfDeleted } from './delete-account.ts'

/** What only an organization that exists needs. Identities and queued alerts go with them. */
const OWN_TABLES = [
  'invitations',
  'sso_connections',
  'sso_domains',
  'spending_alerts',
  'billing_contacts',
  'support_access',
  'request_links',
  'scim_tokens',
  'scim_users',
  'scim_groups',
  'scim_roles',
  'audit_streams',
] as const

/** Why keys of an organization that was deleted are revoked. */
const REASON = 'organization deleted'

export type DeletedOrganization = { readonly members: number; readonly keys: number }

/**
 * Ends an organization: every key and membership, and all that it had set up. Its row stays with
 * its name, for the ledger, but under another slug: the old one is free. It must be locked.
 */
export async function deleteOrganization(
  transaction: Transaction<Tables>,
  id: string,
): Promise<Changed<DeletedOrganization>> {
  const raised = await raiseVersions(transaction, [id])
  const keys = await revokeKeys(transaction, id)
  const { numUpdatedRows: members } = await transaction
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('organization_id', '=', id)
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow()
  for (const table of OWN_TABLES)
    await transaction.deleteFrom(table).where('organization_id', '=', id).execute()
  await transaction
    .updateTable('projects')
    .set({ archived_at: sql<Date>`now()` })
    .where('organization_id', '=', id)
    .where('archived_at', 'is', null)
    .execute()
  await transaction
    .updateTable('organizations')
    .set({
      slug: nameOfDeleted(id),
      retention: 'zero',
      contributor_terms_version: null,
      contributor_terms_accepted_at: null,
      contributor_terms_accepted_by: null,
      sso_only: false,
      second_factor_required: false,
      session_hours: null,
      allowed_networks: [],
      deleted_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
  return { value: { members: Number(members), keys }, raised }
}

async function revokeKeys(transaction: Transaction<Tables>, id: string): Promise<number> {
  // Locked in the order of their ids, as the times of their last use are written.
  await transaction
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', id)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const { numUpdatedRows } = await transaction
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`now()`, revoke_reason: REASON })
    .where('organization_id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('management_keys')
    .set({ revoked_at: sql<Date>`now()` })
    .where('organization_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  return Number(numUpdatedRows)
}
