import type { Pool } from 'pg'
import type { Log } from '../lib/log.ts'
import {
  addDays,
  dayOf,
  createDayPartitions,
  type DayPartitioned,
} from '../store/postgres/partitions.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

const TABLES: readonly DayPartitioned[] = [
  'usage_records',
  'retained_standard',
  'retained_contributor',
]

/** Creates the partitions of the coming days in advance. */
export function makePartitions(pool: Pool, daysAhead: number, log: Log): Job {
  return {
    name: 'make-partitions',
    pauseMs: INTERVAL_MS,
    async run() {
      const today = dayOf(Date.now())
      for (const table of TABLES) {
        const created = await createDayPartitions(pool, table, today, addDays(today, daysAhead))
        if (created.length > 0)
          log.info({ operation: table, count: created.length }, 'partitions created')
      }
      return false
    },
  }
}
