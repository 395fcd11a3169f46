import type { OrganizationChange } from '../../contract/management/organization.ts'
import { changeOrganization, lockOrganization } from '../../store/tenants/organizations.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { checkUnchanged } from '../use-case/etag.ts'
import { defineChange } from '../use-case/use-case.ts'
import { viewOrganization } from './view-organization.ts'

/** What an organization may change itself. Plan, limits and billing state are the operator's. */
export const renameOrganization = defineChange(
  { action: 'organization.rename', permission: 'organization:write' },
  async (
    { transaction, access },
    { name, ifMatch }: OrganizationChange & { readonly ifMatch?: string | null },
  ) => {
    const { id } = access.organization
    const before = viewOrganization(await lockOrganization(transaction, id))
    checkUnchanged(ifMatch, before)
    const changed = await changeOrganization(transaction, id, name === undefined ? {} : { name })
    const value = viewOrganization(changed.value)
    const changes = changedFields(before, value, ['name'])
    return {
      value,
      target: { kind: 'organization', id, label: value.slug },
      changes,
      unchanged: Object.keys(changes).length === 0,
      raised: changed.raised,
    }
  },
)
