import { useState } from 'react'
import { useSecretChange } from '../../../api/use-secret-change.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { inviting } from '../../../words/members.ts'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import { InvitationLink } from '../../members/invite.tsx'
import { DETAIL } from './use-organization-detail.ts'

/** Asks for the address of an owner. If the service sends no email, the link is shown, once. */
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
  const [email, setEmail] = useState('')
  const sending = useSecretChange('POST /operator/organizations/{organization}/owner-invitations', [
    DETAIL,
  ])
  const { answer, fault } = sending
  if (answer !== null)
    return (
      <InvitationLink
        sent={answer}
        note={inviting.sent(answer.email)}
        onClose={() => {
          sending.forget()
          onClose()
        }}
      />
    )
  const atEmail = errorAt(fault, 'email')
  return (
    <FormDialog
      onClose={onClose}
      title={words.inviteOwner}
      description={words.inviteOwnerText}
      onSubmit={() => {
        sending.make({ path: { organization }, body: { email: email.trim() } })
      }}
      submit={inviting.send}
      busy={sending.busy}
    >
      {fault !== null && atEmail === undefined && <FaultNote fault={fault} />}
      <TextField
        label={inviting.email}
        type="email"
        required
        autoFocus
        hint={invited === undefined ? undefined : words.ownerReplaced(invited)}
        value={email}
        error={atEmail}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
