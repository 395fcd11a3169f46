import type { Transaction } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { hasAnotherOwner } from '../../store/people/members.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { scopesCoverRole } from '../../tenancy/permissions.ts'
import type { Role } from '../../tenancy/role.ts'
import type { Access } from '../use-case/authorize.ts'

/** Only owners change and remove owners; a management key never does. */
export function checkMayChange(access: Access, role: Role): void {
  if (role !== 'owner' || access.role === 'owner' || isOperatorShell(access)) return
  throw new ApiError('role_required', 'Only an owner may invite, change or remove owners.')
}

/** Nobody gives more than they have: only owners make owners, and a key gives what it may do. */
export function checkMayGive(access: Access, role: Role): void {
  checkMayChange(access, role)
  const { actor } = access
  if (actor.kind !== 'management_key' || scopesCoverRole(actor.scopes, role)) return
  throw new ApiError(
    'scope_required',
    `A management key gives only what it may do itself: it lacks scopes of the role ${role}.`,
  )
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
