import type { ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { isAtField } from './field.tsx'
import { isBusy, makeChange, type Making } from './make-change.ts'
import { FaultNote } from './states.tsx'

/** Asks before something that cannot be taken back: a question, and what a yes costs. */
export function Ask<Answer, Sent>({
  title,
  text,
  button,
  look = 'danger',
  disabled = false,
  fields = [],
  children,
  ...making
}: Making<Answer, Sent> & {
  readonly title: string
  /** What stops working, and from when. */
  readonly text?: ReactNode
  readonly button: string
  readonly look?: 'danger' | 'primary'
  readonly disabled?: boolean
  /** Names of fields whose errors stand below them. */
  readonly fields?: readonly string[]
  readonly children?: ReactNode
}) {
  const { change, onClose } = making
  const fault = change.error !== null && isAtField(change.error, fields) ? null : change.error
  return (
    <Dialog open alert onClose={onClose} title={title} description={text}>
      {(fault !== null || children !== undefined) && (
        <DialogBody>
          {fault !== null && <FaultNote fault={fault} />}
          {children}
        </DialogBody>
      )}
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button
          look={look}
          busy={isBusy(making)}
          disabled={disabled}
          onClick={() => makeChange(making)}
        >
          {button}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
