import type { RequestLink } from '../../contract/management/usage.ts'
import type { RequestLinkRow } from '../../store/postgres/platform-tables.ts'

export function viewRequestLink(row: RequestLinkRow): RequestLink {
  return {
    id: row.id,
    request: row.request_id,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
  }
}
