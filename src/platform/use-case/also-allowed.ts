import {
  grantOf,
  scopeOf,
  type Grant,
  type OrganizationPermission,
} from '../../tenancy/permissions.ts'
import type { Access } from './authorize.ts'

/**
 * What an actor who was let in for one thing may see of another; undefined if nothing. A management
 * key sees what its scopes and the role that its creator has now both allow.
 */
export function alsoAllowed(
  { actor, role, creatorRole, asSupport }: Access,
  permission: OrganizationPermission,
): Grant | undefined {
  if (role !== null) return grantOf(permission, role)
  if (actor.kind !== 'management_key')
    return asSupport || actor.kind !== 'nobody' ? 'all' : undefined
  const scope = scopeOf(permission)
  const inScope = scope !== null && actor.scopes.includes(scope)
  const creatorMay = creatorRole !== undefined && grantOf(permission, creatorRole) === 'all'
  return inScope && creatorMay ? 'all' : undefined
}
