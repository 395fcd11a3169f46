import type { MemberChange } from '../../contract/management/member.ts'
import { findMember } from '../../store/people/members.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import { changeMember as storeChange } from '../../store/tenants/memberships.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { defineChange } from '../use-case.ts'
import { checkMayChange, checkOwnerRemains } from './owner-rules.ts'
import { viewMember } from './view-member.ts'

export type ChangeMemberInput = MemberChange & { readonly account: string }

export const changeMember = defineChange(
  { action: 'member.change', permission: 'members:write' },
  async ({ transaction, access }, { account: accountId, role }: ChangeMemberInput) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const member = await findMember(transaction, organizationId, accountId)
    if (member === undefined || member.state === 'removed')
      throw new ChangeRefused('the account is not a member', { kind: 'not_found' })
    checkMayChange(access, [member.role, role])
    if (member.role === 'owner' && role !== 'owner')
      await checkOwnerRemains(transaction, access, organizationId, accountId)
    const { raised } = await storeChange(transaction, { organizationId, accountId }, { role })
    return {
      value: viewMember({ ...member, role }, access),
      target: { kind: 'member', id: accountId, label: member.email },
      changes: { role: [member.role, role] },
      unchanged: member.role === role,
      raised,
    }
  },
)
