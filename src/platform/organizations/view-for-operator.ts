import type { OperatorOrganization } from '../../contract/management/operator-organization.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { viewOrganization } from './view-organization.ts'

type Suspended = Pick<OrganizationRow, 'suspended_at' | 'suspended_reason'>

function viewSuspension({ suspended_at: since, suspended_reason: reason }: Suspended) {
  return since === null || reason === null ? null : { since: since.toISOString(), reason }
}

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
    suspension: viewSuspension(row),
    deleted_at: row.deleted_at?.toISOString() ?? null,
  }
}
