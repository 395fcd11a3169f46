import { withdrawInvitation as storeWithdrawal } from '../../store/people/invitations.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { checkMayChange } from '../members/owner-rules.ts'
import { defineChange } from '../use-case/use-case.ts'

export const withdrawInvitation = defineChange(
  { action: 'invitation.withdraw', permission: 'members:write' },
  async ({ transaction, access }, { invitation: id }: { readonly invitation: string }) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const row = await storeWithdrawal(transaction, { organizationId, id })
    checkMayChange(access, row.role)
    return {
      value: undefined,
      target: { kind: 'invitation', id: row.id, label: row.email },
      changes: { role: [row.role, null] },
    }
  },
)
