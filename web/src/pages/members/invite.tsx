import { useEffect, useState } from 'react'
import type { SentInvitation } from '../../api/routes.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Dialog, DialogBody, DialogFoot, FormDialog } from '../../parts/dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { inviting as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import { rolesToGive, type Role } from './role-menu.tsx'

/** Asks for address and role. If the service sends no email, the link is shown, once. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const { path, role: own } = useOrganization()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const sending = useSecretChange('POST /organizations/{organization}/invitations', [
    'GET /organizations/{organization}/invitations',
  ])
  const { answer, fault } = sending
  if (answer !== null)
    return (
      <InvitationLink
        sent={answer}
        note={words.sent(answer.email)}
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
      title={words.title}
      description={words.text}
      onSubmit={() => {
        sending.make({ path, body: { email: email.trim(), role } })
      }}
      submit={words.send}
      busy={sending.busy}
    >
      {fault !== null && atEmail === undefined && <FaultNote fault={fault} />}
      <TextField
        label={words.email}
        type="email"
        required
        autoFocus
        value={email}
        error={atEmail}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label={words.role}
        value={role}
        hint={roles.may[role]}
        options={rolesToGive(own).map((value) => ({ value, label: roles.names[value] }))}
        onChange={(value) => setRole(value as Role)}
      />
    </FormDialog>
  )
}

/** The link to give away, or, if an email is on its way, a note that says so. */
export function InvitationLink({
  sent: { link, email },
  note,
  onClose,
}: {
  readonly sent: SentInvitation
  /** Said if an email was sent. */
  readonly note: string
  readonly onClose: () => void
}) {
  const isMailed = link === null
  useEffect(() => {
    if (!isMailed) return
    say(note)
    onClose()
    // Once for each invitation.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isMailed])
  if (isMailed) return null
  return (
    <Dialog
      open
      keepOpen
      title={words.linkTitle}
      description={words.linkText(email)}
      onClose={onClose}
    >
      <DialogBody>
        <div className="secret" data-shows="secret">
          <code>{link}</code>
          <CopyButton value={link} what={words.link} />
        </div>
      </DialogBody>
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {words.linkCopied}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
