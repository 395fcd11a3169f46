import type { Pool } from 'pg'
import type { Log } from '../lib/log.ts'
import { addDays, dayOf, dropPartitions } from '../store/postgres/partitions.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

/** The tables of usage whose rows can be deleted after a number of days. */
type ExpiringTable = 'usage_records' | 'usage_hourly' | 'usage_daily' | 'usage_transfers'

/** For how many days each table is kept; undefined is for ever. */
export type LedgerDays = Readonly<Record<ExpiringTable, number | undefined>>

/** Deletes usage records, their sums and transfers after the configured number of days. */
export function expireUsageJob(
  pool: Pool,
  days: LedgerDays,
  log: Log,
  now: () => number = Date.now,
): Job {
  return {
    name: 'expire-usage',
    pauseMs: INTERVAL_MS,
    async run() {
      for (const [table, count] of Object.entries(days) as [ExpiringTable, number | undefined][]) {
        if (count === undefined) continue
        const dropped = await dropPartitions(pool, table, addDays(dayOf(now()), -count))
        if (dropped > 0)
          log.info({ operation: table, count: dropped }, 'expired partitions dropped')
      }
      return false
    },
  }
}
