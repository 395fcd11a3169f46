import { ApiError } from '../../../contract/error.ts'
import type { AccountRow } from '../../../store/postgres/tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'

/**
 * A management key must not become a person with more rights than it has: it gives no platform role
 * and touches no account that has one.
 */
export function checkMayTouch(
  actor: Actor,
  { platform_role: role }: Pick<AccountRow, 'platform_role'>,
  changesRole = false,
): void {
  if (actor.kind !== 'management_key' || (role === null && !changesRole)) return
  throw new ApiError(
    'scope_required',
    'Accounts with a platform role cannot be changed with a management key: sign in instead.',
  )
}
