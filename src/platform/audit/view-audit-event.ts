import type { AuditEvent } from '../../contract/management/audit-event.ts'
import type { AuditEventRow } from '../../store/postgres/platform-tables.ts'

/** Without what it changed, if the reader may not see such facts. */
export function viewAuditEvent(row: AuditEventRow, mayReadFacts: boolean): AuditEvent {
  const changes: AuditEvent['changes'] = {}
  if (mayReadFacts)
    for (const [name, pair] of Object.entries(row.changes)) changes[name] = [...pair]
  const label = mayReadFacts ? row.target_label : null
  return {
    id: row.id,
    made_at: row.made_at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, label: row.actor_label },
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id, label },
    changes,
    hidden: !mayReadFacts,
    request_id: row.request_id,
  }
}
