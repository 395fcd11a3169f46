import { findAccount } from '../../store/tenants/accounts.ts'
import { addMember as storeMember } from '../../store/tenants/memberships.ts'
import type { Role } from '../../tenancy/role.ts'
import { defineChange } from '../use-case.ts'
import { checkMayChange } from './owner-rules.ts'

export type AddMemberInput = {
  /** Id or e-mail address. */
  readonly account: string
  readonly role: Role
}

/** Adds an account without asking it: only the command line does so. Others invite. */
export const addMember = defineChange(
  { action: 'member.add', permission: 'members:write' },
  async ({ transaction, access }, { account, role }: AddMemberInput) => {
    checkMayChange(access, [role])
    const { id, email } = await findAccount(transaction, account)
    const ids = { organizationId: access.organization.id, accountId: id }
    const { value, raised } = await storeMember(transaction, ids, role)
    return {
      value,
      target: { kind: 'member', id, label: email },
      changes: { role: [null, role] },
      raised,
    }
  },
)
