import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import type { InvitationToken, Membership } from '../../contract/management/member.ts'
import {
  acceptInvitation as storeAcceptance,
  findOpenInvitation,
} from '../../store/people/invitations.ts'
import { activateInvited } from '../../store/people/activate-invited.ts'
import { readAccount } from '../../store/people/own-account.ts'
import type { InvitationRow } from '../../store/postgres/platform-tables.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { addMember } from '../../store/tenants/memberships.ts'
import { personOf } from '../sign-in/accounts/person-of.ts'
import { hashToken } from '../sign-in/identity/token.ts'
import { shortenForOwner } from '../sign-in/sessions/shorten-for-owner.ts'
import { defineChange } from '../use-case/use-case.ts'
import { isStillGiven } from './giver.ts'
import { noInvitation } from './view-invitation.ts'
import type { ActingAccount } from '../../tenancy/actor.ts'
import { normalEmail } from '../../tenancy/email.ts'

/**
 * Makes whoever is signed in a member, if the invitation is for their address. Works once. Somebody
 * who waits is let in if the address is proven to be theirs: by this link, or by another.
 */
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
        'This invitation is for another email address. Sign in with that address.',
      )
    const { role } = invitation
    const ids = { organizationId: organization.id, accountId: account.id }
    const waits = account.state === 'waiting' && (await isProven(transaction, invitation, account))
    const activated = waits ? await activateInvited(transaction, ids) : []
    // Takes the locks of the account and of the organization, then that of the invitation.
    const { raised } = await addMember(transaction, ids, role)
    const given = await isStillGiven(transaction, invitation, account.id)
    if (!given || !(await storeAcceptance(transaction, invitation))) throw noInvitation()
    await shortenForOwner(environment, transaction, account.id, role)
    const value: Membership = { organization, role }
    return {
      value,
      target: { kind: 'member', id: account.id, label: account.email },
      changes: { role: [null, role], ...(waits && { state: ['waiting', 'active'] }) },
      organizationId: organization.id,
      raised: [...activated, ...raised],
    }
  },
)

async function isProven(
  transaction: Transaction<Tables>,
  { emailed }: InvitationRow,
  { id }: ActingAccount,
): Promise<boolean> {
  return emailed || (await readAccount(transaction, id)).email_verified_at !== null
}
