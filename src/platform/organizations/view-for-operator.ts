import type { OperatorOrganization } from '../../contract/management/operator-organization.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { viewOrganization } from './view-organization.ts'

/** With the overrides, which only operators set: a change of them must not be overwritten. */
export function viewForOperator(row: OrganizationRow): OperatorOrganization {
  return {
    ...viewOrganization(row),
    limits: {
      requests_per_minute: row.requests_per_minute,
      requests_per_day: row.requests_per_day,
      tokens_per_minute: row.tokens_per_minute,
      tokens_per_day: row.tokens_per_day,
    },
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }
}
