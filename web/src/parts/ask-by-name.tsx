import { useState, type ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { deletion } from '../words/deletion.ts'
import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { FaultNote } from './states.tsx'

/** Asks before something that many lose by: whoever wants it types its name. */
export function AskByName({
  title,
  text,
  name,
  button,
  fault,
  busy,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  readonly text: ReactNode
  readonly name: string
  readonly button: string
  readonly fault: Fault | null
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
  const [typed, setTyped] = useState('')
  const isConfirmed = typed.trim() === name
  const submit = () => {
    if (isConfirmed && !busy) onConfirm()
  }
  return (
    <FormDialog
      alert
      onClose={onClose}
      title={title}
      description={text}
      noValidate
      onSubmit={submit}
      submit={button}
      danger
      busy={busy}
      disabled={!isConfirmed}
    >
      {fault !== null && <FaultNote fault={fault} />}
      <TextField
        label={deletion.typeName(name)}
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
    </FormDialog>
  )
}
