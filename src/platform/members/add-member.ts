import { addMember as storeMember } from '../../store/tenants/memberships.ts'
import type { Role } from '../../tenancy/role.ts'
import { findGrantee } from '../sign-in/accounts/find-grantee.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkMayGive } from './owner-rules.ts'

export type AddMemberInput = {
  /** Id or email address. */
  readonly account: string
  readonly role: Role
}

/** Adds an account without asking it: only the command line does so. Others invite. */
export const addMember = defineChange(
  { action: 'member.add', permission: 'members:write' },
  async ({ environment, transaction, access }, { account, role }: AddMemberInput) => {
    checkMayGive(access, role)
    const { id, email } = await findGrantee(transaction, account)
    const ids = { organizationId: access.organization.id, accountId: id }
    const { value, raised } = await storeMember(transaction, ids, role)
    await shortenForOwner(environment, transaction, id, role)
    return {
      value,
      target: { kind: 'member', id, label: email },
      changes: { role: [null, role] },
      raised,
    }
  },
)
