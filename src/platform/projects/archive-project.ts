import { lockOrganization } from '../../store/tenants/organizations.ts'
import { archiveProject as storeArchive, findProject } from '../../store/tenants/projects.ts'
import { changedFields } from '../use-case/changed-fields.ts'
import { checkUnchanged } from '../use-case/etag.ts'
import { defineChange } from '../use-case/use-case.ts'
import { PROJECT_FIELDS, viewProject } from './view-project.ts'

export type ArchiveProjectInput = {
  readonly project: string
  readonly ifMatch?: string | null
}

/** Permanent: all keys of the project stop working at the next request. */
export const archiveProject = defineChange(
  { action: 'project.archive', permission: 'projects:write', confirmed: true },
  async ({ environment, transaction, access }, { project, ifMatch }: ArchiveProjectInput) => {
    const { settings } = environment
    await lockOrganization(transaction, access.organization.id)
    const stored = await findProject(transaction, access.organization.id, project)
    const before = viewProject(stored, settings)
    checkUnchanged(ifMatch, before)
    const archived = await storeArchive(transaction, stored)
    const value = viewProject(archived.value, settings)
    return {
      value,
      target: { kind: 'project', id: value.id, label: value.name },
      changes: changedFields(before, value, PROJECT_FIELDS),
      unchanged: before.archived_at !== null,
      raised: archived.raised,
    }
  },
)
