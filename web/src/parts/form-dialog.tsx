import type { ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot, type DialogProps } from './dialog.tsx'
import { isAtField } from './field.tsx'
import { FaultNote } from './states.tsx'

export type FormDialogProps = Omit<DialogProps, 'open' | 'children'> & {
  readonly children?: ReactNode
  readonly onSubmit: () => void
  /** What the button that submits says. */
  readonly submit: ReactNode
  readonly busy?: boolean
  readonly disabled?: boolean
  /** It destroys something. */
  readonly danger?: boolean
  /** The API checks the fields, not the browser. */
  readonly noValidate?: boolean
  /** Why it failed. It is shown above the fields, unless one of them shows it. */
  readonly fault?: Fault | null
  /** Names of fields whose errors stand below them, and codes of errors that a field shows. */
  readonly fields?: readonly string[]
}

/** A dialog with a form: its fields, a button that cancels and one that submits. */
export function FormDialog({
  onSubmit,
  submit,
  busy = false,
  disabled = false,
  danger = false,
  noValidate = false,
  fault = null,
  fields = [],
  children,
  ...dialog
}: FormDialogProps) {
  const isElsewhere = fault !== null && !isAtField(fault, fields)
  return (
    <Dialog open {...dialog}>
      <form
        noValidate={noValidate}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && !disabled) onSubmit()
        }}
      >
        {(isElsewhere || children !== undefined) && (
          <DialogBody>
            {isElsewhere && <FaultNote fault={fault} />}
            {children}
          </DialogBody>
        )}
        <DialogFoot>
          <Button onClick={dialog.onClose}>{everywhere.cancel}</Button>
          <Button
            type="submit"
            look={danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={disabled}
          >
            {submit}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
