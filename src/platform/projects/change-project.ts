import type { ProjectChange } from '../../contract/management/project.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import { changeProject as storeChange, findProject } from '../../store/tenants/projects.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { checkUnchanged } from '../use-case/etag.ts'
import { readMoney } from '../use-case/read-money.ts'
import { defineChange } from '../use-case/use-case.ts'
import { PROJECT_FIELDS, viewProject } from './view-project.ts'

export type ChangeProjectInput = ProjectChange & {
  readonly project: string
  readonly ifMatch?: string | null
}

export const changeProject = defineChange(
  { action: 'project.change', permission: 'projects:write' },
  async ({ environment, transaction, access }, input: ChangeProjectInput) => {
    const { settings } = environment
    const { name, spending_limit: limit } = input
    await lockOrganization(transaction, access.organization.id)
    const stored = await findProject(transaction, access.organization.id, input.project)
    const before = viewProject(stored, settings)
    checkUnchanged(input.ifMatch, before)
    const changed = await storeChange(transaction, stored, {
      ...(name !== undefined && { name }),
      ...(limit !== undefined && {
        spendingLimit:
          limit === null ? null : readMoney(limit, settings.currency, 'spending_limit'),
      }),
    })
    const value = viewProject(changed.value, settings)
    const changes = changedFields(before, value, PROJECT_FIELDS)
    return {
      value,
      target: { kind: 'project', id: value.id, label: value.name },
      changes,
      unchanged: Object.keys(changes).length === 0,
      raised: changed.raised,
    }
  },
)
