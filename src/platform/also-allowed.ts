import { grantOf, scopeOf, type Grant } from '../tenancy/permissions.ts'
import type { OrganizationPermission } from '../tenancy/permissions.ts'
import type { Access } from './authorize.ts'

/** What an actor who was let in for one thing may see of another; undefined if nothing. */
export function alsoAllowed(
  { actor, role, asSupport }: Access,
  permission: OrganizationPermission,
): Grant | undefined {
  if (role !== null) return grantOf(permission, role)
  if (actor.kind !== 'management_key')
    return asSupport || actor.kind !== 'nobody' ? 'all' : undefined
  const scope = scopeOf(permission)
  return scope !== null && actor.scopes.includes(scope) ? 'all' : undefined
}
