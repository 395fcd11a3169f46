import { ApiError } from '../../contract/error.ts'
import type { InvitationToken, Membership } from '../../contract/management/member.ts'
import {
  acceptInvitation as storeAcceptance,
  findOpenInvitation,
} from '../../store/people/invitations.ts'
import { addMember } from '../../store/tenants/memberships.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { defineChange } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { noInvitation } from './view-invitation.ts'
import { normalEmail } from '../../tenancy/email.ts'

/** Makes whoever is signed in a member, if the invitation is for their address. Works once. */
export const acceptInvitation = defineChange(
  { action: 'invitation.accept', permission: 'self' },
  async ({ environment, transaction, access }, { token }: InvitationToken) => {
    const { account } = personOf(access)
    const found = await findOpenInvitation(transaction, hashToken(token))
    if (found === undefined) throw noInvitation()
    const { invitation, organization } = found
    if (normalEmail(invitation.email) !== normalEmail(account.email))
      throw new ApiError(
        'conflict',
        'This invitation is for another e-mail address. Sign in with that address.',
      )
    const { role } = invitation
    const ids = { organizationId: organization.id, accountId: account.id }
    // Takes the locks of the account and of the organization, then that of the invitation.
    const { raised } = await addMember(transaction, ids, role)
    const given = await isStillGiven(transaction, invitation)
    if (!given || !(await storeAcceptance(transaction, invitation))) throw noInvitation()
    await shortenForOwner(environment, transaction, account.id, role)
    const value: Membership = { organization, role }
    return {
      value,
      target: { kind: 'member', id: account.id, label: account.email },
      changes: { role: [null, role] },
      organizationId: organization.id,
      raised,
    }
  },
)
