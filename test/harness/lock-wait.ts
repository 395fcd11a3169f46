import assert from 'node:assert/strict'
import type { Postgres } from '../../src/store/postgres/postgres.ts'

const TIMEOUT_MS = 20_000

/** Returns when a query of the test's own database waits for a lock that another one holds. */
export async function untilSomeoneWaits({ pool }: Postgres): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS
  while (performance.now() < untilMs) {
    const { rowCount } = await pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount === 1) return
  }
  assert.fail('nobody waits')
}
