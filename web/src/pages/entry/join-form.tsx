import { useState } from 'react'
import type { OpenInvitation, SignedIn } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { errorAt, TextField } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { CHOSEN_LANGUAGE } from '../../shell/language.ts'
import { entry } from '../../words/entry.ts'
import { DoorForm } from './door-form.tsx'
import { TermsCheckbox } from './terms-checkbox.tsx'
import { StoredAddress } from './stored-address.tsx'

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
  const submit = () => {
    const agreed = terms !== null && accepted ? { terms_version: terms.version } : {}
    join.mutate(
      { body: { token, name: name.trim(), password, ...agreed, ...CHOSEN_LANGUAGE } },
      { onSuccess: onJoined },
    )
  }
  return (
    <DoorForm
      asking={join}
      fields={['name', 'password', 'terms_version']}
      submit={entry.join.create}
      onSubmit={submit}
    >
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
    </DoorForm>
  )
}
