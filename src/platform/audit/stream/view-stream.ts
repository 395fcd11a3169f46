import type { AuditStream } from '../../../contract/management/audit-stream.ts'
import { WAITING_COUNTED_MAX } from '../../../store/people/audit-streams.ts'
import type { AuditStreamRow } from '../../../store/postgres/platform-tables.ts'

export function viewStream(row: AuditStreamRow, waiting: number): AuditStream {
  return {
    url: row.url,
    created_at: row.created_at.toISOString(),
    delivered: row.delivered,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    waiting: Math.min(waiting, WAITING_COUNTED_MAX),
    more_waiting: waiting > WAITING_COUNTED_MAX,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_error: row.last_error,
    next_attempt_at: isTriedAgain(row) ? row.next_at.toISOString() : null,
    paused_at: row.paused_at?.toISOString() ?? null,
  }
}

function isTriedAgain({ failing_since, paused_at }: AuditStreamRow): boolean {
  return failing_since !== null && paused_at === null
}
