import { ApiError } from '../../contract/error.ts'
import type { ScimRoles, ScimSettings } from '../../contract/management/scim.ts'
import {
  listScimRoles,
  setScimRoles as storeRoles,
  type ScimRole,
} from '../../store/people/scim-groups.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { defineChange, defineRead } from '../use-case/use-case.ts'
import { applyGivenRoles, readGivenRoles } from './given-roles.ts'
import { scimRoot } from './scim-root.ts'

export const readScimSettings = defineRead(
  { action: 'scim_roles.read', permission: 'sign-in:read', confirmed: true },
  async ({ environment, database, access }): Promise<ScimSettings> => ({
    base_url: scimRoot(environment.settings),
    roles: await listScimRoles(database, access.organization.id),
  }),
)

/** Says which roles groups give. Who is in such a group has the role at the next call. */
export const setScimRoles = defineChange(
  { action: 'scim_roles.set', permission: 'sign-in:write', confirmed: true },
  async ({ environment, transaction, access }, input: ScimRoles) => {
    const { id: organizationId, slug } = await lockOrganization(transaction, access.organization.id)
    const roles = input.roles.map(({ group, role }) => ({ group: group.toLowerCase(), role }))
    checkDistinct(roles.map(({ group }) => group))
    const before = await listScimRoles(transaction, organizationId)
    const unchanged = show(before) === show(roles)
    const given = await readGivenRoles(transaction, organizationId, 'all')
    if (!unchanged) await storeRoles(transaction, organizationId, roles)
    const left = await readGivenRoles(transaction, organizationId, 'all')
    const provisioning = { environment, transaction, organizationId }
    const { changes, raised } = await applyGivenRoles(provisioning, given, left)
    const after = await listScimRoles(transaction, organizationId)
    const value: ScimSettings = { base_url: scimRoot(environment.settings), roles: after }
    return {
      value,
      target: { kind: 'organization', id: organizationId, label: slug },
      changes: { groups: [before, after], ...changes },
      unchanged,
      raised,
    }
  },
)

/** In one order. */
function show(roles: readonly ScimRole[]): string {
  return roles
    .map(({ group, role }) => JSON.stringify([group, role]))
    .toSorted()
    .join()
}

function checkDistinct(groups: readonly string[]): void {
  const twice = groups.findIndex((group, at) => groups.indexOf(group) !== at)
  if (twice === -1) return
  const param = `roles[${twice}].group`
  throw new ApiError('invalid_value', `'${param}' must occur once.`, { param })
}
