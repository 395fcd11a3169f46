import { Ban } from 'lucide-react'
import { useState } from 'react'
import type { OperatorOrganization } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatInstant } from '../../../format/time.ts'
import { Ask } from '../../../parts/ask.tsx'
import { ChangeDialog } from '../../../parts/change-dialog.tsx'
import { DialogButton } from '../../../parts/dialog-button.tsx'
import { suspension as words } from '../../../words/suspension.ts'
import { useMayChange } from '../platform-role.ts'
import { ReasonField } from '../reason-field.tsx'
import { DETAIL } from './use-organization-detail.ts'

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
  return (
    <ChangeDialog
      title={words.title(name)}
      description={words.text}
      submit={words.suspend}
      change={change}
      input={{ path: { organization: id }, body: { suspension: { reason: reason.trim() } } }}
      fields={['suspension.reason']}
      done={words.suspended(name)}
      onClose={onClose}
    >
      <ReasonField
        words={words}
        name="suspension.reason"
        value={reason}
        fault={change.error}
        onChange={setReason}
      />
    </ChangeDialog>
  )
}

/** Since when and why an organization is suspended, and the way back. */
export function SuspensionStrip({ organization }: Pick<Props, 'organization'>) {
  const mayChange = useMayChange()
  const change = useSuspension()
  const { id, name, suspension } = organization
  if (suspension === null) return null
  return (
    <div className="strip bad">
      <Ban size={16} aria-hidden />
      <span className="grow">
        {words.since(formatInstant(suspension.since), suspension.reason)}
      </span>
      {mayChange && (
        <DialogButton
          size="sm"
          dialog={(close) => (
            <Ask
              title={words.liftTitle(name)}
              text={words.liftText}
              button={words.lift}
              look="primary"
              change={change}
              input={{ path: { organization: id }, body: { suspension: null } }}
              done={words.lifted(name)}
              onClose={close}
            />
          )}
        >
          {words.lift}
        </DialogButton>
      )}
    </div>
  )
}
