import type { AuditExportQuery } from '../../contract/management/audit-event.ts'
import { findAuditEvents } from '../../store/people/find-audit-events.ts'
import { defineExport } from '../use-case/use-case.ts'
import { mayReadFacts } from './facts-of.ts'
import { filterFor } from './filter-of.ts'
import { viewAuditEvent } from './view-audit-event.ts'
import { writeEvents } from './write-events.ts'

/** The audit log of an organization as a file, newest first. */
export const exportAuditEvents = defineExport(
  { action: 'audit.export', permission: 'audit:read' },
  async ({ database, access }, query: AuditExportQuery) => {
    const { from, to, format = 'jsonl', actor, action, without_action, target, actor_kind } = query
    const { organization } = access
    const filter = filterFor(access, query)
    const file = writeEvents(format, {
      name: `${organization.slug}-audit-events`,
      ofAll: false,
      read: (page) => findAuditEvents(database, organization, filter, page),
      view: (event) => viewAuditEvent(event, mayReadFacts(access, event.action)),
    })
    return {
      ...file,
      facts: { from, to, format, actor, action, without_action, target, actor_kind },
    }
  },
)
