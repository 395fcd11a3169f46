import { revokeManagementKey } from '../../../store/people/management-keys.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** The key stops working at its next call. */
export const revokePlatformKey = defineChange(
  { action: 'platform_key.revoke', permission: 'platform-keys:write', confirmed: true },
  async ({ transaction }, { key: id }: { key: string }) => {
    const { repeated, ...key } = await revokeManagementKey(transaction, null, id)
    return {
      value: undefined,
      target: { kind: 'management_key', id: key.id, label: key.name },
      changes: { revoked_at: [null, key.revoked_at] },
      unchanged: repeated,
    }
  },
)
