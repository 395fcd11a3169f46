import type { Pool } from 'pg'
import { sumLedger } from '../store/ledger/read-ledger.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

/** Adds up all accounts of the ledger, two for each organization, so that operators see the sum. */
export function sumLedgerJob(pool: Pick<Pool, 'query'>): Job {
  return {
    name: 'sum-ledger',
    pauseMs: INTERVAL_MS,
    async run() {
      await sumLedger(pool)
      return false
    },
  }
}
