import type { NewProject } from '../../contract/management/project.ts'
import { changeProject, createProject as storeProject } from '../../store/tenants/projects.ts'
import { readMoney } from '../use-case/read-money.ts'
import { defineChange } from '../use-case/use-case.ts'
import { viewProject } from './view-project.ts'

export const createProject = defineChange(
  { action: 'project.create', permission: 'projects:write' },
  async ({ environment, transaction, access }, { name, spending_limit: limit }: NewProject) => {
    const { settings } = environment
    const stored = await storeProject(transaction, access.organization.id, name)
    const limited =
      limit === null || limit === undefined
        ? { value: stored, raised: [] }
        : await changeProject(transaction, stored, {
            spendingLimit: readMoney(limit, settings.currency, 'spending_limit'),
          })
    const value = viewProject(limited.value, settings)
    return {
      value,
      target: { kind: 'project', id: value.id, label: value.name },
      changes: { name: [null, value.name], spending_limit: [null, value.spending_limit] },
      raised: limited.raised,
    }
  },
)
