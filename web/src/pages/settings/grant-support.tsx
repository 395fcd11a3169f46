import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { say } from '../../parts/toast.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { support as words } from '../../words/settings.ts'

const HOURS = [1, 4, 24, 72]
const HOURS_DEFAULT = 24

export function GrantSupport({ onClose }: { readonly onClose: () => void }) {
  const { path } = useOrganization()
  const [hours, setHours] = useState(HOURS_DEFAULT)
  const [reason, setReason] = useState('')
  const grant = useChange('POST /organizations/{organization}/support-access', [
    'GET /organizations/{organization}/support-access',
  ])
  const atReason = errorAt(grant.error, 'reason')
  return (
    <FormDialog
      onClose={onClose}
      title={words.grantTitle}
      description={words.grantText}
      onSubmit={() => {
        grant.mutate(
          { path, body: { hours, reason: reason.trim() === '' ? null : reason.trim() } },
          {
            onSuccess: () => {
              say(words.granted)
              onClose()
            },
          },
        )
      }}
      submit={words.grant}
      busy={grant.isPending}
    >
      {grant.error !== null && atReason === undefined && <FaultNote fault={grant.error} />}
      <Select
        label={words.hours}
        value={String(hours)}
        options={HOURS.map((value) => ({ value: String(value), label: words.hour(value) }))}
        onChange={(value) => setHours(Number(value))}
      />
      <TextField
        label={words.reason}
        optional
        hint={words.reasonHint}
        maxLength={200}
        value={reason}
        error={atReason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
