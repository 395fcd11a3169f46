import { withdrawInvitationsOfKey } from '../../store/people/givers.ts'
import { revokeManagementKey as storeRevocation } from '../../store/people/management-keys.ts'
import { countWithdrawn } from '../invitations/giver.ts'
import { defineChange } from '../use-case/use-case.ts'

/** Permanent, at the next call. */
export const revokeManagementKey = defineChange(
  { action: 'management_key.revoke', permission: 'management-keys:write', confirmed: true },
  async ({ transaction, access }, { key: id }: { readonly key: string }) => {
    const { repeated, ...key } = await storeRevocation(transaction, access.organization.id, id)
    const withdrawn = await withdrawInvitationsOfKey(transaction, key)
    return {
      value: undefined,
      target: { kind: 'management_key', id: key.id, label: key.name },
      changes: { revoked_at: [null, key.revoked_at], ...countWithdrawn(withdrawn) },
      unchanged: repeated,
    }
  },
)
