import { Client, type Pool } from 'pg'

export type Statement = { readonly text: string; readonly values: readonly unknown[] }

export type Reading = {
  readonly statement: Statement
  readonly table: string
  /** Rows of the table that were read, whether they were used or not. */
  readonly rows: number
  /** Rows that the statement returned. */
  readonly returned: number
}

type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Plan[]
}

/** Calls `run` and returns the statements that this process sent to PostgreSQL meanwhile. */
export async function captureStatements(run: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const query = Reflect.get(Client.prototype, 'query') as (...given: unknown[]) => unknown
  const recording = function (this: Client, ...given: unknown[]): unknown {
    const [first, second] = given as [string | Statement, unknown]
    const text = typeof first === 'string' ? first : first.text
    const values = Array.isArray(second) ? second : typeof first === 'string' ? [] : first.values
    sent.push({ text, values: values ?? [] })
    return query.apply(this, given)
  }
  Client.prototype.query = recording as typeof Client.prototype.query
  try {
    await run()
  } finally {
    Client.prototype.query = query as typeof Client.prototype.query
  }
  return sent
}

/** What a statement reads of each table, from its plan as it ran. */
export async function readingsOf(pool: Pool, statement: Statement): Promise<Reading[]> {
  if (!/^\s*(select|with)\b/i.test(statement.text)) return []
  const explained = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${statement.text}`,
    [...statement.values],
  )
  const { Plan: plan } = explained.rows[0]!['QUERY PLAN'][0]
  const byTable = new Map<string, number>()
  for (const node of nodesOf(plan)) {
    // Partitions of one table count as the table.
    const table = node['Relation Name']?.replace(/_(default|until_\d+|\d+)$/, '')
    if (table !== undefined) byTable.set(table, (byTable.get(table) ?? 0) + rowsOf(node))
  }
  const returned = plan['Actual Rows']
  return [...byTable].map(([table, rows]) => ({ statement, table, rows, returned }))
}

/** The scans of a plan in one line each, for reports. */
export async function explainBriefly(pool: Pool, { text, values }: Statement): Promise<string> {
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (analyze) ${text}`, [
    ...values,
  ])
  const lines = rows.map((row) => row['QUERY PLAN'].trim())
  const telling = lines.filter((line) => /Scan|Rows Removed|Sort|Aggregate|Time/.test(line))
  return telling.slice(0, 12).join('\n    ')
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

function rowsOf(node: Plan): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round((node['Actual Rows'] + removed) * node['Actual Loops'])
}
