import type { Pool } from 'pg'

/** Connections of `headrace api` and `headrace worker` to this database. */
export async function countServingConnections(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database()
       and application_name in ('headrace api', 'headrace worker', 'headrace leader')`,
  )
  return rows[0]?.count ?? 0
}
