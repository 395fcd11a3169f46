import type { AuditEvent, AuditQuery } from '../../contract/management/audit-event.ts'
import { findAuditEvents } from '../../store/people/find-audit-events.ts'
import { checkAfter, LIMIT_DEFAULT, type List } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { mayReadFacts } from './facts-of.ts'
import { filterFor } from './filter-of.ts'
import { viewAuditEvent } from './view-audit-event.ts'

/** The audit log of an organization, newest first. */
export const listAuditEvents = defineRead(
  { action: 'audit.list', permission: 'audit:read' },
  async ({ database, access }, query: AuditQuery): Promise<List<AuditEvent>> => {
    const { limit = LIMIT_DEFAULT, after } = query
    checkAfter(after)
    const page = { limit, ...(after !== undefined && { after: after.toLowerCase() }) }
    const found = await findAuditEvents(
      database,
      access.organization,
      filterFor(access, query),
      page,
    )
    const data = found.events.map((event) =>
      viewAuditEvent(event, mayReadFacts(access, event.action)),
    )
    return { data, next: found.next }
  },
)
