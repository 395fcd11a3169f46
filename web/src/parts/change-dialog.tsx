import { FormDialog, type FormDialogProps } from './form-dialog.tsx'
import { isBusy, makeChange, type Making } from './make-change.ts'

/** A dialog whose form makes one change: it shows why it failed, or says that it is done. */
export function ChangeDialog<Answer, Sent>(
  props: Making<Answer, Sent> & Omit<FormDialogProps, 'onSubmit' | 'busy' | 'fault'>,
) {
  const { change, input: _input, done: _done, onDone: _onDone, ...dialog } = props
  return (
    <FormDialog
      {...dialog}
      fault={change.error}
      busy={isBusy(props)}
      onSubmit={() => makeChange(props)}
    />
  )
}
