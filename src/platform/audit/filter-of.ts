import type { AuditExportQuery } from '../../contract/management/audit-event.ts'
import type { AuditFilter } from '../../store/people/find-audit-events.ts'

export function filterOf(query: Omit<AuditExportQuery, 'format'>): AuditFilter {
  const { actor, action, target, actor_kind: actorKind, from, to } = query
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(actorKind !== undefined && { actorKind }),
    ...(from !== undefined && { fromMs: Date.parse(from) }),
    ...(to !== undefined && { toMs: Date.parse(to) }),
  }
}
