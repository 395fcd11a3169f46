import type { PlatformAuditExportQuery } from '../../contract/management/operator-organization.ts'
import { findAuditEvents } from '../../store/people/find-audit-events.ts'
import { filterOf } from '../audit/filter-of.ts'
import { writeEvents } from '../audit/write-events.ts'
import { defineExport } from '../use-case/use-case.ts'
import { openScope, viewPlatformEvent } from './list-platform-events.ts'

/** The audit log of the whole service or of one organization as a file. Operators only. */
export const exportPlatformEvents = defineExport(
  { action: 'audit.export_platform', permission: 'platform-audit:manage' },
  async ({ database, access }, query: PlatformAuditExportQuery) => {
    const { organization, format = 'jsonl', ...filters } = query
    const scope = await openScope(database, access, organization)
    const filter = filterOf(filters)
    const file = writeEvents(format, {
      name: 'audit-events',
      ofAll: true,
      read: (page) => findAuditEvents(database, scope, filter, page),
      view: viewPlatformEvent,
    })
    return { ...file, facts: { organization, format, ...filters } }
  },
)
