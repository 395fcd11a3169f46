import { Ban } from 'lucide-react'
import { useState } from 'react'
import type { OperatorOrganization } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatInstant } from '../../../format/time.ts'
import { Ask } from '../../../parts/ask.tsx'
import { Button } from '../../../parts/button.tsx'
import { FormDialog } from '../../../parts/dialog.tsx'
import { errorAt, TextField } from '../../../parts/field.tsx'
import { FaultNote } from '../../../parts/states.tsx'
import { say } from '../../../parts/toast.tsx'
import { suspension as words } from '../../../words/suspension.ts'
import { useMayChange } from '../platform-role.ts'
import { DETAIL } from './use-organization-detail.ts'

const REASON_MAX = 200

type Props = { readonly organization: OperatorOrganization; readonly onClose: () => void }

function useSuspension() {
  return useChange('PATCH /operator/organizations/{organization}', [
    DETAIL,
    'GET /operator/organizations',
  ])
}

/** Asks for the reason, which the members read. */
export function SuspendOrganization({ organization: { id, name }, onClose }: Props) {
  const [reason, setReason] = useState('')
  const change = useSuspension()
  const send = () =>
    change.mutate(
      { path: { organization: id }, body: { suspension: { reason: reason.trim() } } },
      {
        onSuccess: () => {
          say(words.suspended(name))
          onClose()
        },
      },
    )
  const atReason = errorAt(change.error, 'suspension.reason')
  return (
    <FormDialog
      onClose={onClose}
      title={words.title(name)}
      description={words.text}
      onSubmit={send}
      submit={words.suspend}
      busy={change.isPending}
    >
      {change.error !== null && atReason === undefined && <FaultNote fault={change.error} />}
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        required
        maxLength={REASON_MAX}
        value={reason}
        error={atReason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

/** Since when and why an organization is suspended, and the way back. */
export function SuspensionStrip({ organization }: Pick<Props, 'organization'>) {
  const [asks, setAsks] = useState(false)
  const mayChange = useMayChange()
  const change = useSuspension()
  const { id, name, suspension } = organization
  if (suspension === null) return null
  const lift = () =>
    change.mutate(
      { path: { organization: id }, body: { suspension: null } },
      {
        onSuccess: () => {
          say(words.lifted(name))
          setAsks(false)
        },
      },
    )
  return (
    <div className="strip bad">
      <Ban size={16} aria-hidden />
      <span className="grow">
        {words.since(formatInstant(suspension.since), suspension.reason)}
      </span>
      {mayChange && (
        <Button size="sm" onClick={() => setAsks(true)}>
          {words.lift}
        </Button>
      )}
      {asks && (
        <Ask
          title={words.liftTitle(name)}
          text={words.liftText}
          button={words.lift}
          look="primary"
          fault={change.error}
          busy={change.isPending}
          onConfirm={lift}
          onClose={() => setAsks(false)}
        />
      )}
    </div>
  )
}
