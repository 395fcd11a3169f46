import type { Kysely } from 'kysely'
import { forgetDeleted, purgeExpired } from '../store/people/purge.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 60_000

/**
 * Deletes sessions, links, challenges and answers to idempotency keys that are over, and what came
 * late of people who were deleted.
 */
export function purgePeople(database: Kysely<Tables>): Job {
  return {
    name: 'purge-people',
    pauseMs: INTERVAL_MS,
    async run() {
      await forgetDeleted(database)
      return purgeExpired(database)
    },
  }
}
