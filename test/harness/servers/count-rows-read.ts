import type { Pool } from 'pg'

/** Tables that grow with usage. */
const GROWING = /^(usage_records|usage_hourly|usage_daily|transfers)/

type Plan = {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Runs a statement, and returns how many rows of growing tables it read. */
export async function countRowsRead(
  pool: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) ${text}`,
    [...values],
  )
  return rowsOf(rows[0]!['QUERY PLAN'][0].Plan)
}

function rowsOf(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0)
  if (!GROWING.test(plan['Relation Name'] ?? '')) return below
  const each = (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)
  return below + each * (plan['Actual Loops'] ?? 1)
}
