import { ApiError } from '../../contract/error.ts'
import { renewInvitation } from '../../store/people/invitations.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { createToken } from '../sign-in/identity/token.ts'
import { checkMayGive } from '../members/owner-rules.ts'
import { countInvitation, countResend } from '../sign-in/accounts/count-email.ts'
import { defineChange } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { sendInvitation } from './send-invitation.ts'
import { invitationEndsAt } from './view-invitation.ts'

/** Sends a new link for another seven days; the one that was sent before stops working. */
export const resendInvitation = defineChange(
  { action: 'invitation.resend', permission: 'members:write' },
  async (
    { environment, transaction, access },
    { invitation: id }: { readonly invitation: string },
  ) => {
    const organization = await lockOrganization(transaction, access.organization.id)
    const { token, hash } = createToken()
    const endsAt = invitationEndsAt()
    const named = { organizationId: organization.id, id }
    const emailed = environment.mailer.configured
    const row = await renewInvitation(transaction, named, { tokenHash: hash, emailed, endsAt })
    checkMayGive(access, row.role)
    // Of an operator, once there is an owner: a new link would not work either.
    if (!(await isStillGiven(transaction, row, null)))
      throw new ApiError('conflict', 'This invitation has ended. Withdraw it, and invite again.')
    await countResend(environment, row.id)
    await countInvitation(environment, row.email, organization.id)
    return {
      ...sendInvitation(environment, access.actor, organization, row, token),
      target: { kind: 'invitation', id: row.id, label: row.email },
      changes: { ends_at: [null, row.ends_at] },
    }
  },
)
