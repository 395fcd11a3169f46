import type { AuditEvent } from '../../contract/management/audit-event.ts'
import type { AuditEventRow } from '../../store/postgres/platform-tables.ts'

export function viewAuditEvent(row: AuditEventRow): AuditEvent {
  const changes: AuditEvent['changes'] = {}
  for (const [name, pair] of Object.entries(row.changes)) changes[name] = [...pair]
  return {
    id: row.id,
    made_at: row.made_at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, label: row.actor_label },
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id, label: row.target_label },
    changes,
    request_id: row.request_id,
  }
}
