import { ApiError } from '../../contract/error.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'

/** Nothing is added to the balance of an organization that the operator has suspended. */
export function checkNotSuspended({ suspended_at: since }: OrganizationRow): void {
  if (since !== null)
    throw new ApiError('organization_suspended', 'The operator suspended this organization.')
}
