import { sql, type Kysely } from 'kysely'
import { uuidV7 } from '../../lib/uuid.ts'
import { ChangeRefused, explainConstraints, type Changed } from './changes.ts'
import { isUuid, type Page } from '../postgres/page.ts'
import { inOrder, pageInOrder, SORTED_MAX, type Order } from '../postgres/page-in-order.ts'
import type { ProjectRow, Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { raiseVersions } from './versions.ts'

export async function createProject(
  database: Kysely<Tables>,
  organizationId: string,
  name: string,
): Promise<ProjectRow> {
  return explainConstraints(() =>
    database
      .insertInto('projects')
      .values({ id: uuidV7(), organization_id: organizationId, name })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

type ProjectOrder = Order<'name'>

/** In the order of ids, or in the order that was asked for. */
export async function listProjects(
  database: Kysely<Tables>,
  organizationId: string,
  { newestFirst = false, order, ...page }: Page & { readonly order?: ProjectOrder | undefined },
): Promise<ProjectRow[]> {
  const projects = database
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
  if (order !== undefined) {
    const sorted = sortedOf(organizationId, order)
    return projects.where('id', 'in', pageInOrder(sorted, page)).orderBy(inOrder(sorted)).execute()
  }
  return projects
    .$if(page.after !== undefined, (query) =>
      query.where('id', newestFirst ? '<' : '>', page.after ?? ''),
    )
    .orderBy('id', newestFirst ? 'desc' : 'asc')
    .limit(page.limit)
    .execute()
}

function sortedOf(organizationId: string, { descending }: ProjectOrder) {
  const condition = sql`projects.organization_id = ${organizationId}`
  return {
    rows: sql`projects`,
    id: sql`projects.id`,
    key: sql`lower(projects.name) collate "C"`,
    descending,
    newest: sql`select id from projects where ${condition} order by id desc limit ${SORTED_MAX}`,
    condition,
  }
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
    throw new ChangeRefused(`project ${JSON.stringify(reference)} not found in the organization`, {
      kind: 'not_found',
    })
  }
  return row
}

export type ProjectChanges = {
  readonly name?: string
  /** Micro-units per month; null means no limit. */
  readonly spendingLimit?: number | null
}

export async function changeProject(
  database: Kysely<Tables>,
  project: Pick<ProjectRow, 'id' | 'organization_id'>,
  { name, spendingLimit }: ProjectChanges,
): Promise<Changed<ProjectRow>> {
  return explainConstraints(() =>
    withinTransaction(database, async (transaction) => {
      const raised = await raiseVersions(transaction, [project.organization_id])
      const value = await transaction
        .updateTable('projects')
        // Setting a column to itself keeps the statement valid when nothing else is set.
        .set((expression) => ({
          archived_at: expression.ref('archived_at'),
          ...(name !== undefined && { name }),
          ...(spendingLimit !== undefined && { spending_limit: spendingLimit }),
        }))
        .where('id', '=', project.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      return { value, raised }
    }),
  )
}

/** Permanent; all keys of the project stop working. */
export async function archiveProject(
  database: Kysely<Tables>,
  project: Pick<ProjectRow, 'id' | 'organization_id'>,
): Promise<Changed<ProjectRow>> {
  return withinTransaction(database, async (transaction) => {
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
