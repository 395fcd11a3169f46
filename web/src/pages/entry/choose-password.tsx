import { useState, type SubmitEvent } from 'react'
import type { Fault } from '../../api/fault.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt } from '../../parts/field.tsx'
import { PasswordField } from '../../parts/password-field.tsx'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { DoorNote } from './door.tsx'
import { StoredAddress } from './stored-address.tsx'
import { useWait } from './use-wait.ts'
import styles from './entry.module.css'

/** Asks for a new password. The link is used when the button is pressed, not before. */
export function ChoosePassword({
  email,
  label,
  submitText,
  fault,
  busy,
  onChoose,
}: {
  /** Whose it is, if that is known: password managers store it with this address. */
  readonly email?: string
  readonly label: string
  readonly submitText: string
  readonly fault: Fault | null
  readonly busy: boolean
  readonly onChoose: (password: string) => void
}) {
  const [password, setPassword] = useState('')
  const wait = useWait(fault)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy && wait === 0) onChoose(password)
  }
  return (
    <form className={styles.doorFields} onSubmit={submit} noValidate>
      <DoorNote fault={fault?.param === 'password' ? null : fault} />
      {email !== undefined && <StoredAddress email={email} />}
      <PasswordField
        large
        label={label}
        name="password"
        autoComplete="new-password"
        autoFocus
        hint={entry.passwordHint}
        value={password}
        error={errorAt(fault, 'password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" look="primary" size="lg" block busy={busy || wait > 0}>
        {wait > 0 ? everywhere.waitSeconds(wait) : submitText}
      </Button>
    </form>
  )
}
