import { useState } from 'react'
import type { Fault } from '../../api/fault.ts'
import { errorAt } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { entry } from '../../words/entry.ts'
import { DoorForm } from './door-form.tsx'
import { StoredAddress } from './stored-address.tsx'

/** Asks for a new password. The link is used when the button is pressed, not before. */
export function ChoosePassword({
  email,
  label,
  submitText,
  asking,
  onChoose,
}: {
  /** Whose it is, if that is known: password managers store it with this address. */
  readonly email?: string
  readonly label: string
  readonly submitText: string
  readonly asking: { readonly error: Fault | null; readonly isPending: boolean }
  readonly onChoose: (password: string) => void
}) {
  const [password, setPassword] = useState('')
  return (
    <DoorForm
      asking={asking}
      fields={['password']}
      submit={submitText}
      onSubmit={() => onChoose(password)}
    >
      {email !== undefined && <StoredAddress email={email} />}
      <PasswordField
        large
        label={label}
        name="password"
        autoComplete="new-password"
        autoFocus
        hint={entry.passwordHint}
        value={password}
        error={errorAt(asking.error, 'password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </DoorForm>
  )
}
