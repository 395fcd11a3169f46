import { useNavigate } from '@tanstack/react-router'
import type { OperatorOrganization } from '../../../api/routes.ts'
import { useChange } from '../../../api/use-api.ts'
import { DeleteOrganization } from '../../settings/delete-organization.tsx'
import { DETAIL } from './use-organization-detail.ts'

export function OperatorDeleteOrganization({
  organization: { id, name },
  onClose,
}: {
  readonly organization: OperatorOrganization
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const remove = useChange('DELETE /operator/organizations/{organization}', [
    DETAIL,
    'GET /operator/organizations',
  ])
  return (
    <DeleteOrganization
      name={name}
      organization={id}
      change={remove}
      onDone={() => void navigate({ to: '/operator/organizations' })}
      onClose={onClose}
    />
  )
}
