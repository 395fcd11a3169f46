import type { Pool } from 'pg'

type Queries = Pick<Pool, 'query'>

/** Empties all that reconciliation reads and writes. */
export async function emptyLedger(pool: Queries): Promise<void> {
  await pool.query('truncate usage_records, usage_hourly, reconciliations')
}

/** Takes every row out of the ledger; the answer puts them back. */
export async function takeRowsAway(pool: Queries): Promise<() => Promise<void>> {
  await pool.query('create table rows_taken_away as select * from usage_records')
  await pool.query('delete from usage_records')
  return async () => {
    await pool.query('insert into usage_records select * from rows_taken_away')
    await pool.query('drop table rows_taken_away')
  }
}

export async function addTokenToRows(pool: Queries): Promise<void> {
  await pool.query('update usage_records set completion_tokens = completion_tokens + 1')
}

/** What was found, by source and name. */
export async function readDifferences(pool: Queries): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; difference: number }>(
    `select source || ' ' || name as name, difference from reconciliations order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, difference }) => [name, difference]))
}
