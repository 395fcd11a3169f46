import type { MemberChange } from '../../contract/management/member.ts'
import { findMember } from '../../store/people/members.ts'
import { withdrawInvitationsOf } from '../../store/people/givers.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import { changeMember as storeChange } from '../../store/tenants/memberships.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { countWithdrawn, rolesNotGivenBy } from '../invitations/giver.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkMayChange, checkMayGive, checkOwnerRemains } from './owner-rules.ts'
import { viewMember } from './view-member.ts'

export type ChangeMemberInput = MemberChange & { readonly account: string }

export const changeMember = defineChange(
  { action: 'member.change', permission: 'members:write' },
  async ({ environment, transaction, access }, { account: accountId, role }: ChangeMemberInput) => {
    const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
    const member = await findMember(transaction, organizationId, accountId)
    if (member === undefined || member.state === 'removed')
      throw new ChangeRefused('the account is not a member', { kind: 'not_found' })
    checkMayChange(access, member.role)
    checkMayGive(access, role)
    if (member.role === 'owner' && role !== 'owner')
      await checkOwnerRemains(transaction, access, organizationId, accountId)
    const ids = { organizationId, accountId }
    const { raised } = await storeChange(transaction, ids, { role })
    await shortenForOwner(environment, transaction, accountId, role)
    const withdrawn = await withdrawInvitationsOf(transaction, ids, rolesNotGivenBy(role))
    return {
      value: viewMember({ ...member, role }, access),
      target: { kind: 'member', id: accountId, label: member.email },
      changes: { role: [member.role, role], ...countWithdrawn(withdrawn) },
      unchanged: member.role === role,
      raised,
    }
  },
)
