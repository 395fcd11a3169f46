import type { AuditExportQuery } from '../../contract/management/audit-event.ts'
import type { AuditFilter } from '../../store/people/find-audit-events.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import type { Access } from '../use-case/authorize.ts'

export function filterOf(query: Omit<AuditExportQuery, 'format'>): AuditFilter {
  const { actor, action, without_action: withoutAction, target, from, to } = query
  const actorKind = query.actor_kind
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(withoutAction !== undefined && { withoutAction }),
    ...(target !== undefined && { target }),
    ...(actorKind !== undefined && { actorKind }),
    ...(from !== undefined && { fromMs: Date.parse(from) }),
    ...(to !== undefined && { toMs: Date.parse(to) }),
  }
}

/** What a reader of an organization's log asks for, without the sign-ins that are not for them. */
export function filterFor(access: Access, query: Omit<AuditExportQuery, 'format'>): AuditFilter {
  const seesSignIns = alsoAllowed(access, 'sign-ins:read') === 'all'
  return { ...filterOf(query), ...(!seesSignIns && { withoutSignIns: true }) }
}
