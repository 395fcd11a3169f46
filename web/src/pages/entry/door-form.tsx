import type { ReactNode } from 'react'
import type { Fault } from '../../api/fault.ts'
import { Button } from '../../parts/button.tsx'
import { errorAt, isAtField, TextField } from '../../parts/field.tsx'
import { entry } from '../../words/entry.ts'
import { everywhere } from '../../words/everywhere.ts'
import { DoorNote } from './door.tsx'
import { useWait } from './use-wait.ts'
import styles from './entry.module.css'

/** A form of these pages: why it failed, its fields, and one button, which waits if it must. */
export function DoorForm({
  asking: { error, isPending },
  note = null,
  fields = [],
  submit,
  quiet = false,
  onSubmit,
  children,
}: {
  /** The change that the form makes. */
  readonly asking: { readonly error: Fault | null; readonly isPending: boolean }
  /** Shown above the fields as long as nothing failed. */
  readonly note?: Fault | string | null
  /** Names of fields whose errors stand below them, and codes of errors that a field shows. */
  readonly fields?: readonly string[]
  /** What the button says. */
  readonly submit: string
  /** Another button of the page is the primary one. */
  readonly quiet?: boolean
  readonly onSubmit: () => void
  readonly children: ReactNode
}) {
  const wait = useWait(error)
  const isBusy = isPending || wait > 0
  return (
    <form
      className={styles.doorFields}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSubmit()
      }}
    >
      <DoorNote fault={error !== null && isAtField(error, fields) ? null : (error ?? note)} />
      {children}
      <Button type="submit" look={quiet ? 'plain' : 'primary'} size="lg" block busy={isBusy}>
        {wait > 0 ? everywhere.waitSeconds(wait) : submit}
      </Button>
    </form>
  )
}

/** The address of a person who is not signed in. */
export function AddressField({
  email,
  isMissing,
  fault,
  passkeys = false,
  onChange,
}: {
  readonly email: string
  /** Whether somebody sent the form without an address. */
  readonly isMissing: boolean
  readonly fault: Fault | null
  /** Whether the browser offers passkeys in the field. */
  readonly passkeys?: boolean
  readonly onChange: (email: string) => void
}) {
  return (
    <TextField
      large
      label={entry.email}
      type="email"
      name="email"
      autoComplete={passkeys ? 'username webauthn' : 'username'}
      autoFocus
      value={email}
      error={isMissing ? entry.emailNeeded : errorAt(fault, 'email')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
