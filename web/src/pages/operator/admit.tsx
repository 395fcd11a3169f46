import { useState } from 'react'
import type { OperatorAccount } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogBody, DialogFoot, FormDialog } from '../../parts/dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { operator } from '../../words/operator.ts'

const words = operator.waiting

export const CHANGES_ACCOUNTS = [
  'GET /operator/accounts',
  'GET /operator/accounts/{account}',
  'GET /operator/overview',
] as const

type Props = {
  readonly accounts: readonly OperatorAccount[]
  readonly onClose: () => void
  readonly onDone?: () => void
}

/** Admits one or many, with a note for the audit log. */
export function AdmitDialog({ accounts, onClose, onDone }: Props) {
  const admit = useChange('POST /operator/accounts/admit', CHANGES_ACCOUNTS)
  const [note, setNote] = useState('')
  const [only] = accounts
  const who =
    accounts.length === 1 && only !== undefined ? only.email : words.people(accounts.length)
  const send = () =>
    admit.mutate(
      { body: { ids: accounts.map(({ id }) => id), ...(note !== '' && { note }) } },
      {
        onSuccess: ({ admitted, skipped }) => {
          say(words.admitted(admitted.length))
          if (skipped.length > 0) say(words.skipped(skipped.length))
          onDone?.()
          onClose()
        },
      },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.admitTitle(who)}
      description={words.admitText}
      onSubmit={() => {
        send()
      }}
      submit={words.admit}
      busy={admit.isPending}
    >
      <NoteField value={note} onChange={setNote} error={errorAt(admit.error, 'note')} />
      {admit.error !== null && admit.error.param === null && <FaultNote fault={admit.error} />}
    </FormDialog>
  )
}

/** Refusing restricts the account. */
export function RefuseDialog({
  account,
  onClose,
}: {
  readonly account: OperatorAccount
  readonly onClose: () => void
}) {
  const change = useChange('PATCH /operator/accounts/{account}', CHANGES_ACCOUNTS)
  const [note, setNote] = useState('')
  const send = () =>
    change.mutate(
      {
        path: { account: account.id },
        body: { state: 'restricted', ...(note !== '' && { note }) },
      },
      {
        onSuccess: () => {
          say(words.refused(account.email))
          onClose()
        },
      },
    )
  return (
    <Dialog
      open
      alert
      onClose={onClose}
      title={words.refuseTitle(account.email)}
      description={words.refuseText}
    >
      <DialogBody>
        <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
        {change.error !== null && change.error.param === null && <FaultNote fault={change.error} />}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{everywhere.cancel}</Button>
        <Button look="danger" busy={change.isPending} onClick={send}>
          {words.refuse}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

export function NoteField({
  value,
  onChange,
  error,
}: {
  readonly value: string
  readonly onChange: (note: string) => void
  readonly error: string | undefined
}) {
  return (
    <TextField
      label={words.note}
      optional
      hint={words.noteHint}
      maxLength={500}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
