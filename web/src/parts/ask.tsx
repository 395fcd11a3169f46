import type { ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { Dialog, DialogBody, DialogFoot } from './dialog.tsx'
import { FaultNote } from './states.tsx'

/** Asks before something that cannot be taken back: a question, and what a yes costs. */
export function Ask({
  title,
  text,
  button,
  look = 'danger',
  fault,
  busy,
  onConfirm,
  onClose,
  children,
}: {
  readonly title: string
  /** What stops working, and from when. */
  readonly text: ReactNode
  readonly button: string
  readonly look?: 'danger' | 'primary'
  readonly fault: Fault | null
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}) {
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
        <Button look={look} busy={busy} onClick={onConfirm}>
          {button}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
