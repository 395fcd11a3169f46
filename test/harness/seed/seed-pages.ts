import { createProject } from '../../../src/store/tenants/projects.ts'
import { openPerson, type Person } from '../processes/console.ts'
import type { Environment } from '../environment.ts'
import type { Places, Visitor } from '../browser/pages.ts'
import { openKey, openOrganization } from './tenants.ts'

export type SeededPages = Places & {
  readonly organizationId: string
  readonly projectId: string
  /** The secret of a key of the organization. */
  readonly apiKey: string
  readonly visitors: Readonly<Record<Visitor, Person | null>>
}

const PLAN = 'ample'

/** An organization with one of everything, and somebody for each kind of page. */
export async function seedPages({ postgres }: Environment): Promise<SeededPages> {
  const { database } = postgres
  const { id: organizationId, projectId } = await openOrganization(database, PLAN)
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const key = await openKey(database, projectId)
  const project = await createProject(database, organizationId, 'another')
  const owner = { organizationId, role: 'owner' } as const
  const visitors = {
    nobody: null,
    waiting: await openPerson(postgres, { state: 'waiting', registered: false }),
    restricted: await openPerson(postgres, { state: 'restricted' }),
    unregistered: await openPerson(postgres, { registered: false }),
    owner: await openPerson(postgres, owner),
    operator: await openPerson(postgres, { ...owner, platformRole: 'operator' }),
  }
  return {
    slug,
    key: key.id,
    project: project.id,
    request: crypto.randomUUID(),
    account: visitors.waiting.accountId,
    organizationId,
    projectId,
    apiKey: key.text,
    visitors,
  }
}
