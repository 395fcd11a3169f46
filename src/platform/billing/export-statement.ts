import { ApiError } from '../../contract/error.ts'
import type { StatementQuery } from '../../contract/management/statement.ts'
import { csvLine } from '../../lib/csv.ts'
import { inBrackets } from '../../lib/in-brackets.ts'
import {
  findStatement,
  readStatementCells,
  type StatementCell,
} from '../../store/ledger/statements.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineExport } from '../use-case/use-case.ts'

const PAGE_CELLS = 1_000
const MONTH = /^[0-9]{4}-(?:0[1-9]|1[0-2])$/

/** The cells of a statement: month of use × project × model, in pages. */
export const exportStatement = defineExport(
  { action: 'statement.export', permission: 'billing:read' },
  async (
    { environment, database, access },
    { month, format = 'json' }: StatementQuery & { readonly month: string },
  ) => {
    const { id, slug } = access.organization
    const statement = MONTH.test(month) ? await findStatement(database, id, month) : undefined
    if (statement === undefined)
      throw new ApiError('not_found', 'There is no statement of this month.')
    const pages = readPages(environment, id, month)
    return {
      contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
      facts: { month, format },
      fileName: `${slug}-statement-${month}.${format}`,
      parts:
        format === 'csv'
          ? asCsv(pages)
          : inBrackets('{"data":[\n', pages, (row) => JSON.stringify(row), '\n]}\n'),
    }
  },
)

type Row = ReturnType<typeof rowOf>
type Pages = AsyncIterable<readonly Row[]>

async function* readPages(
  { database, settings: { currency } }: Environment,
  organizationId: string,
  month: string,
): AsyncGenerator<readonly Row[], void> {
  let after: StatementCell | undefined
  do {
    const cells = await readStatementCells(database, organizationId, month, after, PAGE_CELLS)
    yield cells.map((cell) => rowOf(cell, currency))
    after = cells.length < PAGE_CELLS ? undefined : cells.at(-1)
  } while (after !== undefined)
}

function rowOf(cell: StatementCell, currency: string) {
  return {
    used_in: cell.usedIn,
    project: cell.projectId,
    project_name: cell.projectName,
    model: cell.model,
    requests: cell.requests,
    prompt_tokens: cell.promptTokens,
    cached_tokens: cell.cachedTokens,
    completion_tokens: cell.completionTokens,
    reasoning_tokens: cell.reasoningTokens,
    cost: formatAmount(cell.cost),
    cost_micro: cell.cost,
    currency,
  }
}

const COLUMNS = [
  'used_in',
  'project',
  'project_name',
  'model',
  'requests',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost',
  'cost_micro',
  'currency',
] as const satisfies (keyof Row)[]

async function* asCsv(pages: Pages): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS)
  for await (const page of pages)
    yield page.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join('')
}
