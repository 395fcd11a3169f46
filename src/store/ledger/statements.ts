import { sql, type Kysely } from 'kysely'
import type { UsageCounts } from '../../tenancy/usage-record.ts'
import type { Tables } from '../postgres/tables.ts'

type Used = UsageCounts & { readonly requests: number; readonly cost: number }

export type Statement = Used & {
  /** As 2026-10. */
  readonly month: string
  readonly issuedAt: Date
}

/** What was used of a model in a project, in the month of the statement or the one before. */
export type StatementCell = Used & {
  readonly usedIn: string
  readonly projectId: string
  readonly projectName: string | null
  readonly model: string
}

const MONTHS_MAX = 120

const USED = sql`requests::float8 as requests, prompt_tokens::float8 as "promptTokens",
  cached_tokens::float8 as "cachedTokens", completion_tokens::float8 as "completionTokens",
  reasoning_tokens::float8 as "reasoningTokens", cost::float8 as cost`

const STATEMENT = sql`to_char(month, 'YYYY-MM') as month, ${USED}, issued_at as "issuedAt"`

/** Of the last ten years, newest first. */
export async function listStatements(
  database: Kysely<Tables>,
  organizationId: string,
): Promise<readonly Statement[]> {
  const { rows } = await sql<Statement>`
    select ${STATEMENT} from statements where organization_id = ${organizationId}
    order by statements.month desc limit ${MONTHS_MAX}`.execute(database)
  return rows
}

export async function findStatement(
  database: Kysely<Tables>,
  organizationId: string,
  month: string,
): Promise<Statement | undefined> {
  const { rows } = await sql<Statement>`
    select ${STATEMENT} from statements
    where organization_id = ${organizationId} and month = ${`${month}-01`}::date`.execute(database)
  return rows[0]
}

/** Ordered by month of use, project and model: one page after the other is read by its place. */
export async function readStatementCells(
  database: Kysely<Tables>,
  organizationId: string,
  month: string,
  after: StatementCell | undefined,
  limit: number,
): Promise<readonly StatementCell[]> {
  const later =
    after === undefined
      ? sql``
      : sql`and (used_in, project_id, model)
          > (${`${after.usedIn}-01`}::date, ${after.projectId}::uuid, ${after.model})`
  const { rows } = await sql<StatementCell>`
    select to_char(used_in, 'YYYY-MM') as "usedIn", project_id as "projectId",
      (select name from projects where id = project_id) as "projectName", model, ${USED}
    from statement_cells
    where organization_id = ${organizationId} and month = ${`${month}-01`}::date ${later}
    order by used_in, project_id, model limit ${limit}`.execute(database)
  return rows
}
