import type { AuditEvent, AuditExportQuery } from '../../contract/management/audit-event.ts'
import { csvLine } from '../../lib/csv.ts'
import { findAuditEvents } from '../../store/people/find-audit-events.ts'
import { defineRead } from '../use-case.ts'
import { filterOf } from './filter-of.ts'
import { viewAuditEvent } from './view-audit-event.ts'

/** Events that are in memory at once. */
const PAGE_EVENTS = 500

export type AuditExport = {
  readonly contentType: string
  /** Texts of at most a page each, read when the one before was sent. */
  readonly parts: AsyncIterable<string>
}

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
] as const

const FORMATS: Readonly<Record<'csv' | 'jsonl', Format>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: csvLine(COLUMNS),
    line: ({ id, made_at, actor, action, target, changes, request_id }) =>
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
      ]),
  },
  jsonl: {
    contentType: 'application/jsonl; charset=utf-8',
    head: '',
    line: (event) => `${JSON.stringify(event)}\n`,
  },
}

/** The audit log of an organization as a file, newest first. */
export const exportAuditEvents = defineRead(
  { action: 'audit.export', permission: 'audit:read' },
  async ({ database, access }, query: AuditExportQuery): Promise<AuditExport> => {
    const { contentType, head, line } = FORMATS[query.format ?? 'jsonl']
    const filter = filterOf(query)
    async function* parts(): AsyncGenerator<string, void> {
      yield head
      for (let after: string | undefined; ;) {
        const page = { limit: PAGE_EVENTS, ...(after !== undefined && { after }) }
        const { events, next } = await findAuditEvents(database, access.organization, filter, page)
        yield events.map((event) => line(viewAuditEvent(event))).join('')
        if (next === null) return
        after = next
      }
    }
    return { contentType, parts: parts() }
  },
)
