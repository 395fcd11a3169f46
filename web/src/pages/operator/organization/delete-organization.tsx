import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatorOrganization } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { AskByName } from '../../../parts/ask-by-name.tsx'
import { Checkbox } from '../../../parts/field.tsx'
import { say } from '../../../parts/toast.tsx'
import { deletion as words } from '../../../words/deletion.ts'
import { DETAIL } from './use-organization-detail.ts'

export function DeleteOrganization({
  organization: { id, name },
  onClose,
}: {
  readonly organization: OperatorOrganization
  readonly onClose: () => void
}) {
  const [forfeit, setForfeit] = useState(false)
  const navigate = useNavigate()
  const remove = useChange('DELETE /operator/organizations/{organization}', [
    DETAIL,
    'GET /operator/organizations',
  ])
  const onSuccess = () => {
    say(words.organizationDeleted(name))
    void navigate({ to: '/operator/organizations' })
  }
  const query = forfeit ? { forfeit_balance: true } : {}
  return (
    <AskByName
      title={words.organizationTitle(name)}
      text={words.organizationText}
      name={name}
      button={words.organizationDelete}
      fault={remove.error}
      busy={remove.isPending || remove.isSuccess}
      onConfirm={() => remove.mutate({ path: { organization: id }, query }, { onSuccess })}
      onClose={onClose}
    >
      {(forfeit || remove.error?.code === 'conflict') && (
        <Checkbox
          label={words.forfeit}
          checked={forfeit}
          onChange={(event) => setForfeit(event.currentTarget.checked)}
        />
      )}
    </AskByName>
  )
}
