import type { AuditEvent, AuditExportQuery } from '../../contract/management/audit-event.ts'
import type { PlatformAuditEvent } from '../../contract/management/operator-organization.ts'
import { csvLine } from '../../lib/csv.ts'
import type { AuditPage } from '../../store/people/find-audit-events.ts'
import type { Page } from '../../store/postgres/page.ts'
import type { AuditEventRow } from '../../store/postgres/platform-tables.ts'

/** Events that are in memory at once. */
const PAGE_EVENTS = 500

/** The column of the organization is only in a file of the whole service. */
type Event = AuditEvent & Partial<Pick<PlatformAuditEvent, 'organization_id'>>

type Source = {
  /** The file name without its ending. */
  readonly name: string
  readonly ofAll: boolean
  readonly read: (page: Page) => Promise<AuditPage>
  readonly view: (row: AuditEventRow) => Event
}

type EventFile = {
  readonly contentType: string
  readonly fileName: string
  readonly parts: AsyncIterable<string>
}

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
} as const

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

/** Audit events as a file that is read page by page while it is sent. */
export function writeEvents(
  format: NonNullable<AuditExportQuery['format']>,
  source: Source,
): EventFile {
  return {
    contentType: CONTENT_TYPES[format],
    fileName: `${source.name}.${format}`,
    parts: format === 'csv' ? writeCsv(source) : writeLines(source),
  }
}

async function* writeCsv(source: Source): AsyncGenerator<string, void> {
  const own = source.ofAll ? (['organization_id'] as const) : []
  yield csvLine([...COLUMNS, ...own])
  for await (const events of pagesOf(source))
    yield events
      .map((event) => csvLine([...cellsOf(event), ...own.map((name) => event[name] ?? null)]))
      .join('')
}

async function* writeLines(source: Source): AsyncGenerator<string, void> {
  yield ''
  for await (const events of pagesOf(source))
    yield events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

async function* pagesOf({ read, view }: Source): AsyncGenerator<readonly Event[], void> {
  for (let after: string | undefined; ;) {
    const page = { limit: PAGE_EVENTS, ...(after !== undefined && { after }) }
    const { events, next } = await read(page)
    yield events.map(view)
    if (next === null) return
    after = next
  }
}

function cellsOf({
  id,
  made_at,
  actor,
  action,
  target,
  changes,
  request_id,
  hidden,
}: Event): (string | null)[] {
  return [
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
  ]
}
