import { useState, type ReactNode } from 'react'
import type { SentInvitation } from '../../api/routes.ts'
import { useSecretChange } from '../../api/use-secret-change.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { say } from '../../parts/toast.tsx'
import { useOnce } from '../../parts/use-once.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { inviting as words } from '../../words/members.ts'
import { roles } from '../../words/roles.ts'
import { rolesToGive, type Role } from './role-menu.tsx'

/** Asks for address and role. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const { path, role: own } = useOrganization()
  const [role, setRole] = useState<Role>('member')
  const sending = useSecretChange('POST /organizations/{organization}/invitations', [
    'GET /organizations/{organization}/invitations',
  ])
  return (
    <InviteDialog
      title={words.title}
      text={words.text}
      sending={sending}
      onSend={(email) => sending.make({ path, body: { email, role } })}
      onClose={onClose}
    >
      <Select
        label={words.role}
        value={role}
        hint={roles.may[role]}
        options={rolesToGive(own).map((value) => ({ value, label: roles.names[value] }))}
        onChange={(value) => setRole(value as Role)}
      />
    </InviteDialog>
  )
}

/** Asks for an address. If the service sends no email, the link is shown, once. */
export function InviteDialog({
  title,
  text,
  hint,
  sending: { answer, fault, busy },
  onSend,
  onClose,
  children,
}: {
  readonly title: string
  readonly text: string
  /** Below the address. */
  readonly hint?: string | undefined
  readonly sending: Pick<
    ReturnType<typeof useSecretChange<'POST /organizations/{organization}/invitations'>>,
    'answer' | 'fault' | 'busy'
  >
  readonly onSend: (email: string) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const [email, setEmail] = useState('')
  if (answer !== null)
    return <InvitationLink sent={answer} note={words.sent(answer.email)} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      description={text}
      onSubmit={() => onSend(email.trim())}
      submit={words.send}
      busy={busy}
      fault={fault}
      fields={['email']}
    >
      <TextField
        label={words.email}
        type="email"
        required
        autoFocus
        hint={hint}
        value={email}
        error={errorAt(fault, 'email')}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {children}
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
  useOnce(link === null, () => {
    say(note)
    onClose()
  })
  if (link === null) return null
  return (
    <SecretDialog
      title={words.linkTitle}
      text={words.linkText(email)}
      secret={link}
      what={words.link}
      onClose={onClose}
    />
  )
}
