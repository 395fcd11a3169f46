import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { ChangeRefused, refuseByConstraint } from './changes.ts'
import type { Changed } from './changes.ts'
import type { Page } from '../postgres/page.ts'
import { isUuid } from '../postgres/page.ts'
import type { ProjectRow, Tables } from '../postgres/tables.ts'
import { raiseVersions } from './versions.ts'

export async function createProject(
  database: Kysely<Tables>,
  organizationId: string,
  name: string,
): Promise<ProjectRow> {
  return refuseByConstraint(() =>
    database
      .insertInto('projects')
      .values({ id: uuidV7(), organization_id: organizationId, name })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export async function listProjects(
  database: Kysely<Tables>,
  organizationId: string,
  page: Page,
): Promise<ProjectRow[]> {
  return database
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(page.after !== undefined, (query) => query.where('id', '>', page.after ?? ''))
    .orderBy('id')
    .limit(page.limit)
    .execute()
}

/** By id, or by name among those that are not archived. */
export async function findProject(
  database: Kysely<Tables>,
  organizationId: string,
  reference: string,
): Promise<ProjectRow> {
  const row = await database
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(isUuid(reference), (query) => query.where('id', '=', reference))
    .$if(!isUuid(reference), (query) =>
      query.where(sql`lower(name)`, '=', sql`lower(${reference})`).where('archived_at', 'is', null),
    )
    .executeTakeFirst()
  if (row === undefined) {
    throw new ChangeRefused(`the organization has no project ${JSON.stringify(reference)}`)
  }
  return row
}

export type ProjectChanges = {
  /** In micro-units for one month; null is none. */
  readonly spendingLimit: number | null
}

export async function changeProject(
  database: Kysely<Tables>,
  project: Pick<ProjectRow, 'id' | 'organization_id'>,
  changes: ProjectChanges,
): Promise<Changed<ProjectRow>> {
  return database.transaction().execute(async (transaction) => {
    const raised = await raiseVersions(transaction, [project.organization_id])
    const value = await transaction
      .updateTable('projects')
      .set({ spending_limit: changes.spendingLimit })
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { value, raised }
  })
}

/** All keys of an archived project stop working, and it stays archived. */
export async function archiveProject(
  database: Kysely<Tables>,
  project: Pick<ProjectRow, 'id' | 'organization_id'>,
): Promise<Changed<ProjectRow>> {
  return database.transaction().execute(async (transaction) => {
    const raised = await raiseVersions(transaction, [project.organization_id])
    const value = await transaction
      .updateTable('projects')
      .set({ archived_at: sql<Date>`coalesce(archived_at, now())` })
      .where('id', '=', project.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { value, raised }
  })
}
