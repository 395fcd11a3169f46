import { ApiError } from '../../contract/error.ts'
import type { NewInvitation } from '../../contract/management/member.ts'
import { createInvitation } from '../../store/people/invitations.ts'
import { isMemberByEmail } from '../../store/people/members.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { createToken } from '../sign-in/identity/token.ts'
import { checkEmail } from '../sign-in/accounts/check-credentials.ts'
import { checkMayGive } from '../members/owner-rules.ts'
import { countInvitation } from '../sign-in/accounts/count-email.ts'
import { defineChange } from '../use-case/use-case.ts'
import { sendInvitation } from './send-invitation.ts'
import { invitationEndsAt } from './view-invitation.ts'

/** Invites an address, whether or not it has an account. */
export const invite = defineChange(
  { action: 'invitation.create', permission: 'members:write' },
  async ({ environment, transaction, access }, { email, role = 'member' }: NewInvitation) => {
    checkMayGive(access, role)
    checkEmail(email)
    const organization = await lockOrganization(transaction, access.organization.id)
    if (await isMemberByEmail(transaction, organization.id, email))
      throw new ApiError('already_exists', 'This person is a member already.')
    await countInvitation(environment, email, organization.id)
    const { token, hash } = createToken()
    const { actor } = access
    const row = await createInvitation(transaction, {
      organizationId: organization.id,
      email,
      role,
      tokenHash: hash,
      emailed: environment.mailer.configured,
      invitedBy: actor.kind === 'person' ? actor.account.id : null,
      managementKeyId: actor.kind === 'management_key' ? actor.id : null,
      endsAt: invitationEndsAt(),
    })
    return {
      ...sendInvitation(environment, actor, organization, row, token),
      target: { kind: 'invitation', id: row.id, label: email },
      changes: { email: [null, email], role: [null, role] },
    }
  },
)
