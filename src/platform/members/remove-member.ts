import type { Transaction } from 'kysely'
import { withdrawInvitationsOf } from '../../store/people/givers.ts'
import { findMember, moveKeysToOrganization } from '../../store/people/members.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { ChangeRefused } from '../../store/tenants/changes.ts'
import { changeMember } from '../../store/tenants/memberships.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { ROLES, type Role } from '../../tenancy/role.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import type { Access } from '../use-case/authorize.ts'
import { countWithdrawn } from '../invitations/giver.ts'
import { defineChange, type Change } from '../use-case/use-case.ts'
import { checkMayChange, checkOwnerRemains } from './owner-rules.ts'

export type RemoveMemberInput = {
  readonly account: string
  /** Their keys stop working, or belong to the organization from now on. */
  readonly keys?: 'stop' | 'move'
}

type RemovedMember = { readonly role: Role; readonly state: 'removed'; readonly keysMoved: number }

export const removeMember = defineChange(
  { action: 'member.remove', permission: 'members:write' },
  ({ transaction, access }, { account, keys = 'stop' }: RemoveMemberInput) =>
    remove(transaction, access, account, keys),
)

/** Everyone may go. Their keys stop working. */
export const leaveOrganization = defineChange(
  { action: 'member.leave', permission: 'membership:end' },
  ({ transaction, access }, _input: object) =>
    remove(transaction, access, personOf(access).account.id, 'stop'),
)

async function remove(
  transaction: Transaction<Tables>,
  access: Access<'members:write'> | Access<'membership:end'>,
  accountId: string,
  keys: 'stop' | 'move',
): Promise<Change<RemovedMember>> {
  const { id: organizationId } = await lockOrganization(transaction, access.organization.id)
  const member = await findMember(transaction, organizationId, accountId)
  // The command line may repeat a removal.
  const repeated = member?.state === 'removed' && access.actor.kind === 'operator_shell'
  if (member === undefined || (member.state === 'removed' && !repeated))
    throw new ChangeRefused('the account is not a member', { kind: 'not_found' })
  checkMayChange(access, member.role)
  if (member.role === 'owner')
    await checkOwnerRemains(transaction, access, organizationId, accountId)
  const ids = { organizationId, accountId }
  const { raised } = await changeMember(transaction, ids, { state: 'removed' })
  const withdrawn = await withdrawInvitationsOf(transaction, ids, ROLES)
  const keysMoved =
    keys === 'move' ? await moveKeysToOrganization(transaction, organizationId, accountId) : 0
  return {
    value: { role: member.role, state: 'removed', keysMoved },
    target: { kind: 'member', id: accountId, label: member.email },
    changes: {
      role: [member.role, null],
      ...(keysMoved > 0 && { keys_moved: [null, keysMoved] as const }),
      ...countWithdrawn(withdrawn),
    },
    unchanged: repeated && keysMoved === 0,
    raised,
  }
}
