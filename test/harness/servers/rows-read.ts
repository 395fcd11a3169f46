import { Kysely, PostgresDialect } from 'kysely'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import type { Tables } from '../../../src/store/postgres/tables.ts'

type Plan = {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Runs queries, and counts the rows of tables with this name that their selects read. */
export async function rowsRead(
  { pool }: Pick<Postgres, 'pool'>,
  table: RegExp,
  act: (database: Kysely<Tables>) => Promise<unknown>,
): Promise<number> {
  const asked: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  await act(database)
  const client = await pool.connect()
  try {
    await client.query('begin')
    let count = 0
    for (const { sql, parameters } of asked) {
      // Settings of the transaction are repeated, so that the plans are the same.
      if (/set_config/.test(sql)) await client.query(sql, [...parameters])
      else if (/^\s*(select|with)/i.test(sql)) {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `explain (analyze, format json) ${sql}`,
          [...parameters],
        )
        count += rowsOf(rows[0]!['QUERY PLAN'][0].Plan, table)
      }
    }
    return count
  } finally {
    await client.query('rollback')
    client.release()
  }
}

function rowsOf(plan: Plan, table: RegExp): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each, table), 0)
  if (!table.test(plan['Relation Name'] ?? '')) return below
  const each = (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)
  return below + each * (plan['Actual Loops'] ?? 1)
}
