import type {
  PlatformAuditEvent,
  PlatformAuditQuery,
} from '../../contract/management/operator-organization.ts'
import { findAuditEvents, type AuditScope } from '../../store/people/find-audit-events.ts'
import { findFirstAccount } from '../../store/tenants/search-accounts.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import { filterOf } from '../audit/filter-of.ts'
import { viewAuditEvent } from '../audit/view-audit-event.ts'
import { checkAfter, LIMIT_DEFAULT, type List } from '../page.ts'
import { defineRead } from '../use-case.ts'

/** The audit log of all organizations and of the platform itself, newest first. */
export const listPlatformEvents = defineRead(
  { action: 'audit.list_platform', permission: 'platform:read' },
  async ({ database }, query: PlatformAuditQuery): Promise<List<PlatformAuditEvent>> => {
    const { organization, limit = LIMIT_DEFAULT, after, ...filters } = query
    checkAfter(after)
    const scope: AuditScope =
      organization === undefined
        ? { id: null, created_at: (await findFirstAccount(database)) ?? new Date() }
        : await findOrganization(database, organization)
    const page = { limit, ...(after !== undefined && { after: after.toLowerCase() }) }
    const { events, next } = await findAuditEvents(database, scope, filterOf(filters), page)
    const data = events.map((event) => ({
      ...viewAuditEvent(event),
      organization_id: event.organization_id,
    }))
    return { data, next }
  },
)
