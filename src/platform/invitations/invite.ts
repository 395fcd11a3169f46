import { ApiError } from '../../contract/error.ts'
import type { NewInvitation } from '../../contract/management/member.ts'
import { createInvitation } from '../../store/people/invitations.ts'
import { isMemberByEmail } from '../../store/people/members.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { createToken } from '../identity/token.ts'
import { isAddress } from '../mail/address.ts'
import { checkMayChange } from '../members/owner-rules.ts'
import { defineChange } from '../use-case.ts'
import { sendInvitation } from './send-invitation.ts'
import { invitationEndsAt } from './view-invitation.ts'

/** Invites an address, whether or not it has an account. */
export const invite = defineChange(
  { action: 'invitation.create', permission: 'members:write' },
  async ({ environment, transaction, access }, { email, role = 'member' }: NewInvitation) => {
    checkMayChange(access, [role])
    if (!isAddress(email))
      throw new ApiError('invalid_value', "'email' must be an e-mail address.", { param: 'email' })
    const organization = await lockOrganization(transaction, access.organization.id)
    if (await isMemberByEmail(transaction, organization.id, email))
      throw new ApiError('already_exists', 'This person is a member already.')
    const { token, hash } = createToken()
    const { actor } = access
    const row = await createInvitation(transaction, {
      organizationId: organization.id,
      email,
      role,
      tokenHash: hash,
      invitedBy: actor.kind === 'person' ? actor.account.id : null,
      endsAt: invitationEndsAt(),
    })
    return {
      ...sendInvitation(environment, actor, organization, row, token),
      target: { kind: 'invitation', id: row.id, label: email },
      changes: { email: [null, email], role: [null, role] },
    }
  },
)
