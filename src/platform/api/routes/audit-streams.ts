import {
  AuditStreamChange,
  ChangedAuditStream,
  FoundAuditStream,
} from '../../../contract/management/audit-stream.ts'
import {
  deleteAuditStream,
  setAuditStream,
  showAuditStream,
} from '../../audit/stream/organization-stream.ts'
import {
  deletePlatformStream,
  setPlatformStream,
  showPlatformStream,
} from '../../audit/stream/platform-stream.ts'
import { defineRoute, type Route } from '../route.ts'

const OF_ORGANIZATION = '/organizations/{organization}/audit-stream'
const OF_PLATFORM = '/operator/audit-stream'
const EXAMPLE = { body: { url: 'https://siem.example.com/headrace' } }

export const AUDIT_STREAM_ROUTES: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: OF_ORGANIZATION,
    summary: 'Show where the audit log is sent, and how that goes.',
    does: showAuditStream,
    status: 200,
    answer: FoundAuditStream,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'PUT',
    path: OF_ORGANIZATION,
    summary: 'Send every audit event from now on to a receiver, signed and in order.',
    does: setAuditStream,
    body: AuditStreamChange,
    status: 200,
    answer: ChangedAuditStream,
    secret: true,
    input: ({ path, body }) => ({ organization: path['organization']!, ...body }),
    example: EXAMPLE,
  }),
  defineRoute({
    method: 'DELETE',
    path: OF_ORGANIZATION,
    summary: 'Stop sending the audit log.',
    does: deleteAuditStream,
    status: 204,
    input: ({ path }) => ({ organization: path['organization']! }),
  }),
  defineRoute({
    method: 'GET',
    path: OF_PLATFORM,
    summary: 'Show where the audit log of the platform is sent, and how that goes.',
    does: showPlatformStream,
    status: 200,
    answer: FoundAuditStream,
    input: () => ({}),
  }),
  defineRoute({
    method: 'PUT',
    path: OF_PLATFORM,
    summary: 'Send every audit event of all organizations and of the platform to a receiver.',
    does: setPlatformStream,
    body: AuditStreamChange,
    status: 200,
    answer: ChangedAuditStream,
    secret: true,
    input: ({ body }) => body,
    example: EXAMPLE,
  }),
  defineRoute({
    method: 'DELETE',
    path: OF_PLATFORM,
    summary: 'Stop sending the audit log of the platform.',
    does: deletePlatformStream,
    status: 204,
    input: () => ({}),
  }),
]
