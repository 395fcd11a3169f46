import type {
  AuditStreamChange,
  FoundAuditStream,
} from '../../../contract/management/audit-stream.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { defineChange, defineRead } from '../../use-case/use-case.ts'
import { changeStream, endStream } from './change-stream.ts'
import { showStream } from './show-stream.ts'

/** Where the audit log of the organization is sent, and how that goes. */
export const showAuditStream = defineRead(
  { action: 'audit_stream.show', permission: 'audit-stream:read' },
  ({ database, access }): Promise<FoundAuditStream> => showStream(database, access.organization.id),
)

/** Sends every event of the organization from now on to a receiver. */
export const setAuditStream = defineChange(
  { action: 'audit_stream.set', permission: 'audit-stream:write', confirmed: true },
  async ({ environment, transaction, access }, input: AuditStreamChange) => {
    const { id } = await lockOrganization(transaction, access.organization.id)
    return changeStream(environment.settings, transaction, id, input)
  },
)

export const deleteAuditStream = defineChange(
  { action: 'audit_stream.delete', permission: 'audit-stream:write', confirmed: true },
  async ({ transaction, access }) => {
    const { id } = await lockOrganization(transaction, access.organization.id)
    return endStream(transaction, id)
  },
)
