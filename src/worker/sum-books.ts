import type { Pool } from 'pg'
import { sumBooks } from '../store/ledger/read-books.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 600_000

/** Adds up all accounts of the ledger, two for each organization, so that operators see the sum. */
export function sumBooksJob(pool: Pick<Pool, 'query'>): Job {
  return {
    name: 'sum-books',
    pauseMs: INTERVAL_MS,
    async run() {
      await sumBooks(pool)
      return false
    },
  }
}
