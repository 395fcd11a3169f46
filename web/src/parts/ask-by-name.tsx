import { useState, type ReactNode, type SubmitEvent } from 'react'
import type { Fault } from '../api/fault.ts'
import { deletion } from '../words/deletion.ts'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isConfirmed && !busy) onConfirm()
  }
  return (
    <Dialog open alert onClose={onClose} title={title} description={text}>
      <form onSubmit={submit} noValidate>
        <DialogBody>
          {fault !== null && <FaultNote fault={fault} />}
          <TextField
            label={deletion.typeName(name)}
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {children}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{everywhere.cancel}</Button>
          <Button look="danger" type="submit" disabled={!isConfirmed} busy={busy}>
            {button}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
