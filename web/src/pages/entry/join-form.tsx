import { useState, type SubmitEvent } from 'react'
import type { OpenInvitation, SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { CHOSEN_LANGUAGE } from '../../shell/language.ts'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { DoorNote } from './door.tsx'
import { TermsCheckbox } from './terms-checkbox.tsx'
import { StoredAddress } from './stored-address.tsx'
import { useWait } from './use-wait.ts'
import styles from './entry.module.css'

/** Everything that somebody without an account needs to be in: the link proves the address. */
export function JoinForm({
  token,
  invitation: { email, terms },
  onJoined,
}: {
  readonly token: string
  readonly invitation: OpenInvitation
  readonly onJoined: (answer: SignedIn) => void
}) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [accepted, setAccepted] = useState(false)
  const join = useChange('POST /invitations/join')
  const { error } = join
  const wait = useWait(error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (join.isPending || wait > 0) return
    const agreed = terms !== null && accepted ? { terms_version: terms.version } : {}
    join.mutate(
      { body: { token, name: name.trim(), password, ...agreed, ...CHOSEN_LANGUAGE } },
      { onSuccess: onJoined },
    )
  }
  return (
    <form className={styles.doorFields} onSubmit={submit} noValidate>
      <DoorNote fault={error?.param === null ? error : null} />
      <StoredAddress email={email} />
      <TextField
        large
        label={entry.welcome.name}
        name="name"
        autoComplete="name"
        autoFocus
        hint={entry.welcome.nameHint}
        value={name}
        error={errorAt(error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordField
        large
        label={entry.password}
        name="password"
        autoComplete="new-password"
        hint={entry.passwordHint}
        value={password}
        error={errorAt(error, 'password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <TermsCheckbox
        version={terms?.version ?? null}
        url={terms?.url ?? null}
        accepted={accepted}
        error={errorAt(error, 'terms_version')}
        onAccept={setAccepted}
      />
      <Button type="submit" look="primary" size="lg" block busy={join.isPending || wait > 0}>
        {wait > 0 ? everywhere.waitSeconds(wait) : entry.join.create}
      </Button>
    </form>
  )
}
