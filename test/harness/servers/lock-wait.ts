import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { waitUntil } from '../figures/measure.ts'

const TIMEOUT_MS = 20_000

/** Returns when so many queries of the test's own database wait for locks that others hold. */
export async function untilSomeoneWaits({ pool }: Postgres, count = 1): Promise<void> {
  const isWaiting = async () => {
    const { rowCount } = await pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount === count
  }
  await waitUntil('a query that waits for a lock', isWaiting, TIMEOUT_MS)
}
