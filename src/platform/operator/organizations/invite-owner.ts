import { ApiError } from '../../../contract/error.ts'
import type { OwnerInvitation } from '../../../contract/management/operator-organization.ts'
import { withdrawOperatorInvitationsInto } from '../../../store/people/givers.ts'
import { createInvitation } from '../../../store/people/invitations.ts'
import { hasAnotherOwner } from '../../../store/people/members.ts'
import { findOrganization, lockOrganization } from '../../../store/tenants/organizations.ts'
import { countWithdrawn } from '../../invitations/giver.ts'
import { sendInvitation } from '../../invitations/send-invitation.ts'
import { invitationEndsAt } from '../../invitations/view-invitation.ts'
import { checkEmail } from '../../sign-in/accounts/check-credentials.ts'
import { countInvitation } from '../../sign-in/accounts/count-email.ts'
import { createToken } from '../../sign-in/identity/token.ts'
import { defineChange } from '../../use-case/use-case.ts'

/**
 * Invites an owner into an organization that has none. Only into such: an operator who could add an
 * owner anywhere would read what people of that organization never showed them. An invitation that
 * an operator made before is replaced, so a mistyped address is corrected by another one.
 */
export const inviteOwner = defineChange(
  { action: 'invitation.create_owner', permission: 'platform:write', confirmed: true },
  async (
    { environment, transaction, access: { actor } },
    { organization: reference, email }: OwnerInvitation & { readonly organization: string },
  ) => {
    if (actor.kind === 'management_key')
      throw new ApiError('scope_required', 'A management key cannot make owners: sign in instead.')
    checkEmail(email)
    const { id } = await findOrganization(transaction, reference)
    const organization = await lockOrganization(transaction, id)
    if (await hasAnotherOwner(transaction, id, null))
      throw new ApiError('conflict', 'The organization has an owner, who invites others.')
    await countInvitation(environment, email, id)
    const withdrawn = await withdrawOperatorInvitationsInto(transaction, id)
    const { token, hash } = createToken()
    const row = await createInvitation(transaction, {
      organizationId: id,
      email,
      role: 'owner',
      tokenHash: hash,
      emailed: environment.mailer.configured,
      invitedBy: actor.kind === 'person' ? actor.account.id : null,
      managementKeyId: null,
      byOperator: true,
      endsAt: invitationEndsAt(),
    })
    return {
      ...sendInvitation(environment, actor, organization, row, token),
      target: { kind: 'invitation', id: row.id, label: email },
      changes: { email: [null, email], role: [null, 'owner'], ...countWithdrawn(withdrawn) },
      organizationId: id,
    }
  },
)
