import { useState } from 'react'
import type { OperatorAccount } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { Ask } from '../../parts/ask.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { errorAt, TextField } from '../../parts/field.tsx'
import { say } from '../../parts/toast.tsx'
import { operator } from '../../words/operator.ts'
import { finished, NO_ORGANIZATION } from '../account/organization-fields.tsx'
import { AdmitOrganization, type PlannedOrganization } from './admit-organization.tsx'
import { useMayChange } from './platform-role.ts'

const words = operator.waiting
/** Only a slug can be taken already. */
const FIELDS = ['note', 'name', 'slug', 'plan', 'already_exists']
const NOT_PLANNED: PlannedOrganization = { ...NO_ORGANIZATION, wanted: false, plan: '' }

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

/** Admits one or many, with a note for the audit log; for one, an organization can be created. */
export function AdmitDialog({ accounts, onClose, onDone }: Props) {
  const admit = useChange('POST /operator/accounts/admit', CHANGES_ACCOUNTS)
  const create = useChange('POST /operator/organizations', ['GET /operator/organizations'])
  const mayChange = useMayChange()
  const [note, setNote] = useState('')
  const [planned, setPlanned] = useState(NOT_PLANNED)
  const only = accounts.length === 1 ? accounts[0] : undefined
  const unverified = accounts.filter((account) => !account.email_verified).length
  const admitAll = () =>
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
  // The organization comes first: if its name is taken, nobody was admitted yet. One that was
  // created is not created again if admitting failed.
  const createFirst = (owner: string) =>
    create.mutate(
      {
        body: { ...finished(planned), ...(planned.plan !== '' && { plan: planned.plan }), owner },
      },
      { onSuccess: admitAll },
    )
  return (
    <FormDialog
      onClose={onClose}
      title={words.admitTitle(only?.email ?? words.people(accounts.length))}
      description={only === undefined ? words.admitText : words.admitOneText}
      onSubmit={() => {
        if (only !== undefined && planned.wanted && !create.isSuccess) createFirst(only.id)
        else admitAll()
      }}
      submit={words.admit}
      busy={create.isPending || admit.isPending}
      fault={create.error ?? admit.error}
      fields={FIELDS}
    >
      {unverified > 0 && (
        <p className="strip warn">
          {only === undefined ? words.unverifiedMany(unverified) : words.unverified}
        </p>
      )}
      {only !== undefined && mayChange && (
        <AdmitOrganization planned={planned} onChange={setPlanned} fault={create.error} />
      )}
      <NoteField value={note} onChange={setNote} error={errorAt(admit.error, 'note')} />
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
  const body = { state: 'restricted', ...(note !== '' && { note }) } as const
  return (
    <Ask
      title={words.refuseTitle(account.email)}
      text={words.refuseText}
      button={words.refuse}
      change={change}
      input={{ path: { account: account.id }, body }}
      fields={['note']}
      done={words.refused(account.email)}
      onClose={onClose}
    >
      <NoteField value={note} onChange={setNote} error={errorAt(change.error, 'note')} />
    </Ask>
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
