import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** How members of an organization must sign in. Read on every call, so no version is raised. */
export async function setSignInRules(
  database: Kysely<Tables>,
  organizationId: string,
  rules: { readonly sso_only: boolean; readonly second_factor_required: boolean },
): Promise<void> {
  await database
    .updateTable('organizations')
    .set({ sso_only: rules.sso_only, second_factor_required: rules.second_factor_required })
    .where('id', '=', organizationId)
    .execute()
}
