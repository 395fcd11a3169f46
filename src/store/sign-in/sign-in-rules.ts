import type { Kysely } from 'kysely'
import type { OrganizationRow, Tables } from '../postgres/tables.ts'

type StoredRules = Pick<OrganizationRow, 'sso_only' | 'second_factor_required' | 'session_hours'>

/** How members of an organization must sign in. Read on every call, so no version is raised. */
export async function setSignInRules(
  database: Kysely<Tables>,
  organizationId: string,
  { sso_only, second_factor_required, session_hours }: StoredRules,
): Promise<void> {
  await database
    .updateTable('organizations')
    .set({ sso_only, second_factor_required, session_hours })
    .where('id', '=', organizationId)
    .execute()
}
