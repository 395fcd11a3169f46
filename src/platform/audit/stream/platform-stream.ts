import type {
  AuditStreamChange,
  FoundAuditStream,
} from '../../../contract/management/audit-stream.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { changeStream, endStream } from './change-stream.ts'
import { showStream } from './show-stream.ts'

/** Where the audit log of the whole platform is sent, and how that goes. */
export const showPlatformStream = defineRead(
  { action: 'audit_stream.show', permission: 'platform-audit:manage' },
  ({ database }): Promise<FoundAuditStream> => showStream(database, null),
)

/** Sends every event of all organizations and of the platform from now on to a receiver. */
export const setPlatformStream = defineChange(
  { action: 'audit_stream.set', permission: 'platform-audit:manage', confirmed: true },
  ({ environment, transaction }, input: AuditStreamChange) =>
    changeStream(environment.settings, transaction, null, input),
)

export const deletePlatformStream = defineChange(
  { action: 'audit_stream.delete', permission: 'platform-audit:manage', confirmed: true },
  ({ transaction }) => endStream(transaction, null),
)
