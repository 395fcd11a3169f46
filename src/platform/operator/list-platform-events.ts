import type { Kysely } from 'kysely'
import type {
  PlatformAuditEvent,
  PlatformAuditQuery,
} from '../../contract/management/operator-organization.ts'
import { findAuditEvents, type AuditScope } from '../../store/people/find-audit-events.ts'
import type { AuditEventRow } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { findFirstAccount } from '../../store/tenants/search-accounts.ts'
import { findOrganization } from '../../store/tenants/organizations.ts'
import type { Access } from '../use-case/authorize.ts'
import { filterOf } from '../audit/filter-of.ts'
import { viewAuditEvent } from '../audit/view-audit-event.ts'
import { checkAfter, LIMIT_DEFAULT, type List } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { platformRoleOf, readAsSupport } from './read-as-support.ts'

/**
 * The audit log of all organizations and of the platform itself, newest first. Support reads the
 * events of an organization with the consent of an owner, and otherwise those of the platform.
 */
export const listPlatformEvents = defineRead(
  { action: 'audit.list_platform', permission: 'platform:read' },
  async ({ database, access }, query: PlatformAuditQuery): Promise<List<PlatformAuditEvent>> => {
    const { organization, limit = LIMIT_DEFAULT, after, ...filters } = query
    checkAfter(after)
    const scope = await openScope(database, access, organization)
    const page = { limit, ...(after !== undefined && { after: after.toLowerCase() }) }
    const { events, next } = await findAuditEvents(database, scope, filterOf(filters), page)
    return { data: events.map(viewPlatformEvent), next }
  },
)

export function viewPlatformEvent(row: AuditEventRow): PlatformAuditEvent {
  return { ...viewAuditEvent(row, true), organization_id: row.organization_id }
}

/** What the reader may see: all, what concerns no organization, or one organization. */
export async function openScope(
  database: Kysely<Tables>,
  access: Access,
  organization: string | undefined,
): Promise<AuditScope> {
  if (organization === undefined) {
    const created_at = (await findFirstAccount(database)) ?? new Date()
    const id = platformRoleOf(access.actor) === 'support' ? 'none' : 'all'
    return { id, created_at }
  }
  const found = await findOrganization(database, organization)
  const target = { kind: 'organization', id: found.id, label: found.slug }
  const read = { organizationId: found.id, action: 'audit.list_platform', target }
  await readAsSupport(database, access, read)
  return found
}
