import type { AuditEvent, AuditExportQuery } from '../../contract/management/audit-event.ts'
import { csvLine } from '../../lib/csv.ts'
import { findAuditEvents } from '../../store/people/find-audit-events.ts'
import { defineExport } from '../use-case/use-case.ts'
import { mayReadFacts } from './facts-of.ts'
import { filterFor } from './filter-of.ts'
import { viewAuditEvent } from './view-audit-event.ts'

/** Events that are in memory at once. */
const PAGE_EVENTS = 500

type Format = {
  readonly contentType: string
  readonly head: string
  readonly line: (event: AuditEvent) => string
}

const COLUMNS = [
  'id',
  'made_at',
  'actor_kind',
  'actor_id',
  'actor_label',
  'action',
  'target_kind',
  'target_id',
  'target_label',
  'changes',
  'request_id',
  'hidden',
] as const

const FORMATS: Readonly<Record<'csv' | 'jsonl', Format>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: csvLine(COLUMNS),
    line: ({ id, made_at, actor, action, target, changes, request_id, hidden }) =>
      csvLine([
        id,
        made_at,
        actor.kind,
        actor.id,
        actor.label,
        action,
        target.kind,
        target.id,
        target.label,
        JSON.stringify(changes),
        request_id,
        String(hidden),
      ]),
  },
  jsonl: {
    contentType: 'application/jsonl; charset=utf-8',
    head: '',
    line: (event) => `${JSON.stringify(event)}\n`,
  },
}

/** The audit log of an organization as a file, newest first. */
export const exportAuditEvents = defineExport(
  { action: 'audit.export', permission: 'audit:read' },
  async ({ database, access }, query: AuditExportQuery) => {
    const { from, to, format = 'jsonl', actor, action, target, actor_kind } = query
    const { contentType, head, line } = FORMATS[format]
    const { slug } = access.organization
    const filter = filterFor(access, query)
    async function* parts(): AsyncGenerator<string, void> {
      yield head
      for (let after: string | undefined; ;) {
        const page = { limit: PAGE_EVENTS, ...(after !== undefined && { after }) }
        const { events, next } = await findAuditEvents(database, access.organization, filter, page)
        const views = events.map((event) =>
          viewAuditEvent(event, mayReadFacts(access, event.action)),
        )
        yield views.map(line).join('')
        if (next === null) return
        after = next
      }
    }
    return {
      contentType,
      facts: { from, to, format, actor, action, target, actor_kind },
      fileName: `${slug}-audit-events.${format}`,
      parts: parts(),
    }
  },
)
