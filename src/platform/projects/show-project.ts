import { findProject } from '../../store/tenants/projects.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewProject } from './view-project.ts'

export const showProject = defineRead(
  { action: 'project.show', permission: 'projects:read' },
  async ({ environment, database, access }, { project }: { readonly project: string }) =>
    viewProject(await findProject(database, access.organization.id, project), environment.settings),
)
