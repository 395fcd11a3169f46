import type { Pool } from 'pg'
import type { Log } from '../lib/log.ts'
import {
  addDays,
  createPartitions,
  dayOf,
  DAYS_AHEAD,
  type Partitioned,
} from '../store/postgres/partitions.ts'
import { isExistingTable } from '../store/postgres/postgres.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

const TABLES: readonly Partitioned[] = [
  'usage_records',
  'usage_hourly',
  'usage_daily',
  'usage_transfers',
  'retained_standard',
  'retained_contributor',
  'audit_events',
]

/**
 * Creates the partitions of the coming days in advance. A new worker runs it before it posts, the
 * leader from then on; workers that start together may create the same partition.
 */
export function makePartitions(pool: Pool, log: Log): Job {
  return {
    name: 'make-partitions',
    pauseMs: INTERVAL_MS,
    async run() {
      const today = dayOf(Date.now())
      try {
        for (const table of TABLES) {
          const created = await createPartitions(pool, table, today, addDays(today, DAYS_AHEAD))
          if (created.length > 0)
            log.info({ operation: table, count: created.length }, 'partitions created')
        }
      } catch (error) {
        if (isExistingTable(error)) return true
        throw error
      }
      return false
    },
  }
}
