import type { InvitationToken, OpenInvitation } from '../../contract/management/member.ts'
import { findOpenInvitation } from '../../store/people/invitations.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import { defineRead } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { noInvitation } from './view-invitation.ts'
import { findWayIn } from './way-in.ts'

/** Shows who invites into what, before anything is accepted. */
export const lookUpInvitation = defineRead(
  { action: 'invitation.look_up', permission: 'anyone' },
  async ({ environment, database }, { token }: InvitationToken): Promise<OpenInvitation> => {
    const found = await findOpenInvitation(database, hashToken(token))
    if (found === undefined || !(await isStillGiven(database, found.invitation, null)))
      throw noInvitation()
    const { invitation, organization, inviter } = found
    const { email, role } = invitation
    const ends_at = invitation.ends_at.toISOString()
    const next = await findWayIn(database, found)
    const terms = environment.settings.console.terms ?? null
    return { organization, email, role, invited_by: inviter, ends_at, next, terms }
  },
)
