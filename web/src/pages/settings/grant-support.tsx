import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { ChangeDialog } from '../../parts/change-dialog.tsx'
import { errorAt, Select, TextField } from '../../parts/field.tsx'
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
  return (
    <ChangeDialog
      title={words.grantTitle}
      description={words.grantText}
      submit={words.grant}
      change={grant}
      input={{ path, body: { hours, reason: reason.trim() === '' ? null : reason.trim() } }}
      fields={['reason']}
      done={words.granted}
      onClose={onClose}
    >
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
        error={errorAt(grant.error, 'reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ChangeDialog>
  )
}
