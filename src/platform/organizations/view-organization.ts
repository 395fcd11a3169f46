import type { Organization } from '../../contract/management/organization.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'

export function viewOrganization(row: OrganizationRow): Organization {
  const { id, slug, name, plan, retention, billing_state } = row
  return {
    id,
    slug,
    name,
    plan,
    retention,
    billing_state,
    created_at: row.created_at.toISOString(),
  }
}

/** What the audit log records of an organization. */
export const ORGANIZATION_FIELDS = [
  'name',
  'plan',
  'retention',
  'contributor_terms_version',
  'billing_state',
  'suspended_reason',
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const
