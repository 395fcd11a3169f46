import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { hasAnotherOwner } from '../../store/people/members.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Role } from '../../tenancy/role.ts'
import type { Access } from '../authorize.ts'

/** Only owners make, change and remove owners; a management key never does. */
export function checkMayChange(access: Access, roles: readonly Role[]): void {
  if (!roles.includes('owner') || access.role === 'owner' || isOperatorShell(access)) return
  throw new ApiError('role_required', 'Only an owner may invite, change or remove owners.')
}

/**
 * The last owner stays; only somebody with a shell may leave an organization without one. The
 * organization must be locked.
 */
export async function checkOwnerRemains(
  transaction: Transaction<Tables>,
  access: Access,
  organizationId: string,
  accountId: string,
): Promise<void> {
  if (isOperatorShell(access)) return
  if (await hasAnotherOwner(transaction, organizationId, accountId)) return
  throw new ApiError(
    'last_owner',
    'An organization needs an owner. Make somebody else owner first.',
  )
}

function isOperatorShell({ actor }: Access): boolean {
  return actor.kind === 'operator_shell'
}
