import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'

const POLL_MS = 5

const LONGEST = `
  select coalesce(max(extract(epoch from clock_timestamp() - waitstart)) * 1000, 0)::float as ms
  from pg_locks join pg_stat_activity using (pid)
  where not granted and locktype = 'relation'
    and application_name like 'headrace%' and application_name <> 'headrace migrate'`

/** Samples how long statements of the service wait for a table, until it is stopped. */
export function watchLocks(pool: Pool): { stop(): Promise<{ readonly longestMs: number }> } {
  const stopping = new AbortController()
  let longestMs = 0
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await pool.query<{ ms: number }>(LONGEST)
      longestMs = Math.max(longestMs, rows[0]?.ms ?? 0)
      // pacing: locks are looked at again after a moment.
      await pause(POLL_MS)
    }
  }
  const watching = watch()
  return {
    async stop() {
      stopping.abort()
      await watching
      return { longestMs }
    },
  }
}
