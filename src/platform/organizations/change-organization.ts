import {
  changeOrganization as storeChange,
  findOrganization,
  lockOrganization,
  type OrganizationChanges,
} from '../../store/tenants/organizations.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { checkUnchanged } from '../use-case/etag.ts'
import { defineChange } from '../use-case/use-case.ts'
import { checkPlan } from './check-plan.ts'
import { viewForOperator } from './view-for-operator.ts'
import { ORGANIZATION_FIELDS } from './view-organization.ts'

export type ChangeOrganizationInput = {
  /** Id or slug. */
  readonly organization: string
  readonly changes: OrganizationChanges
  readonly ifMatch?: string | null
}

/** Everything that the operator may change. Returns the organization as it is stored. */
export const changeOrganization = defineChange(
  { action: 'organization.change', permission: 'platform:write' },
  async ({ environment, transaction }, input: ChangeOrganizationInput) => {
    const { plan } = input.changes
    if (plan !== undefined) checkPlan(plan, environment.settings)
    const { id } = await findOrganization(transaction, input.organization)
    const before = await lockOrganization(transaction, id)
    checkUnchanged(input.ifMatch, viewForOperator(before))
    const { value, raised } = await storeChange(transaction, id, input.changes)
    const changes = changedFields(before, value, ORGANIZATION_FIELDS)
    return {
      value,
      target: { kind: 'organization', id, label: value.slug },
      changes,
      unchanged: Object.keys(changes).length === 0,
      organizationId: id,
      raised,
    }
  },
)
