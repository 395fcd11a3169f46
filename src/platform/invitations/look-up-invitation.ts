import type { InvitationToken, OpenInvitation } from '../../contract/management/member.ts'
import { findOpenInvitation } from '../../store/people/invitations.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import { defineRead } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { noInvitation } from './view-invitation.ts'

/** Shows who invites into what, before anything is accepted. */
export const lookUpInvitation = defineRead(
  { action: 'invitation.look_up', permission: 'anyone' },
  async ({ database }, { token }: InvitationToken): Promise<OpenInvitation> => {
    const found = await findOpenInvitation(database, hashToken(token))
    if (found === undefined || !(await isStillGiven(database, found.invitation)))
      throw noInvitation()
    const { invitation, organization, inviter } = found
    const { email, role } = invitation
    const ends_at = invitation.ends_at.toISOString()
    return { organization, email, role, invited_by: inviter, ends_at }
  },
)
