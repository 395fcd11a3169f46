import type { SupportAccess } from '../../contract/management/retention.ts'
import type { SupportAccessRow } from '../../store/postgres/platform-tables.ts'

export function viewSupportAccess(row: SupportAccessRow): SupportAccess {
  return {
    id: row.id,
    granted_by: row.granted_by,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    active: row.ended_at === null && row.ends_at.getTime() > Date.now(),
  }
}
