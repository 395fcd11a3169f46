import type { ListedProject, ProjectsQuery } from '../../contract/management/project.ts'
import { countKeysOfProjects } from '../../store/tenants/count-keys.ts'
import { listProjects as readProjects } from '../../store/tenants/projects.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import { viewKeyCount } from '../keys/view-key-count.ts'
import { orderOf, readPage, type List } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewProject } from './view-project.ts'

export const listProjects = defineRead(
  { action: 'project.list', permission: 'projects:read' },
  async ({ environment, database, access }, query: ProjectsQuery): Promise<List<ListedProject>> => {
    const { data, next } = await readPage(
      query,
      (page) => readProjects(database, access.organization.id, { ...page, order: orderOf(query) }),
      (row) => viewProject(row, environment.settings),
      (row) => row.id,
    )
    const counts =
      alsoAllowed(access, 'keys:read') === 'all'
        ? await countKeysOfProjects(
            database,
            data.map(({ id }) => id),
          )
        : undefined
    const keysOf = (id: string) => (counts === undefined ? null : viewKeyCount(counts.get(id) ?? 0))
    return { data: data.map((project) => ({ ...project, keys: keysOf(project.id) })), next }
  },
)
