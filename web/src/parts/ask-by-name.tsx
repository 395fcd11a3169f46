import { useState, type ReactNode } from 'react'
import { deletion } from '../words/deletion.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { TextField } from './field.tsx'
import type { Making } from './make-change.ts'

/** Asks before something that many lose by: whoever wants it types its name. */
export function AskByName<Answer, Sent>({
  text,
  name,
  label = deletion.typeName(name),
  button,
  children,
  ...making
}: Making<Answer, Sent> & {
  readonly title: string
  readonly text: ReactNode
  readonly name: string
  /** Of the field for the name. */
  readonly label?: string
  readonly button: string
  readonly children?: ReactNode
}) {
  const [typed, setTyped] = useState('')
  return (
    <ChangeDialog
      {...making}
      alert
      description={text}
      noValidate
      submit={button}
      danger
      disabled={typed.trim() !== name}
    >
      <TextField
        label={label}
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
    </ChangeDialog>
  )
}
