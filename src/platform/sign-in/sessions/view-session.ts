import type { Session } from '../../../contract/management/session.ts'
import type { SessionRow } from '../../../store/postgres/platform-tables.ts'

export function viewSession(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    current: row.id === currentId,
    created_at: row.created_at.toISOString(),
    seen_at: row.seen_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    methods: row.methods,
    user_agent: row.user_agent,
    address_prefix: row.address_prefix,
  }
}
