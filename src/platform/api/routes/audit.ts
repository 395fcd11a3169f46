import {
  AuditEvent,
  AuditExportQuery,
  AuditQuery,
} from '../../../contract/management/audit-event.ts'
import { listOf } from '../../../contract/management/schemas.ts'
import { exportAuditEvents } from '../../audit/export-events.ts'
import { listAuditEvents } from '../../audit/list-events.ts'
import { defineRoute, type Route } from '../route.ts'
import { createExports } from '../send-export.ts'

const EVENTS = '/organizations/{organization}/audit-events'

export const AUDIT_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: EVENTS,
    summary: 'Audit events of the organization, newest first.',
    does: listAuditEvents,
    query: AuditQuery,
    status: 200,
    answer: listOf(AuditEvent),
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
  }),
  defineRoute({
    method: 'GET',
    path: `${EVENTS}/export`,
    summary: 'Audit events as a file, as CSV or as JSON lines.',
    does: exportAuditEvents,
    query: AuditExportQuery,
    status: 200,
    contentType: 'application/jsonl',
    input: ({ path, query }) => ({ organization: path['organization']!, ...query }),
    send: createExports(),
  }),
]
