import { useSecretChange } from '../../../api/use-secret-change.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { InviteDialog } from '../../members/invite.tsx'
import { DETAIL } from './use-organization-detail.ts'

/** Asks for the address of an owner. */
export function InviteOwner({
  organization,
  invited,
  onClose,
}: {
  readonly organization: string
  /** Whose invitation the new one replaces. */
  readonly invited: string | undefined
  readonly onClose: () => void
}) {
  const sending = useSecretChange('POST /operator/organizations/{organization}/owner-invitations', [
    DETAIL,
  ])
  return (
    <InviteDialog
      title={words.inviteOwner}
      text={words.inviteOwnerText}
      hint={invited === undefined ? undefined : words.ownerReplaced(invited)}
      sending={sending}
      onSend={(email) => sending.make({ path: { organization }, body: { email } })}
      onClose={onClose}
    />
  )
}
