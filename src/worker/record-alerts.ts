import type { Kysely } from 'kysely'
import { MINUTE_MS } from '../lib/time.ts'
import { recordReachedAlerts } from '../store/ledger/reached-alerts.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { Job } from './run-jobs.ts'

/** Records spending alerts that were reached. The console processes send them. */
export function recordAlerts(database: Kysely<Tables>, now: () => number = Date.now): Job {
  return {
    name: 'record-alerts',
    pauseMs: MINUTE_MS,
    async run() {
      await recordReachedAlerts(database, now())
      return false
    },
  }
}
