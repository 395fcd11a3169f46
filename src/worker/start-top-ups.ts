import type { Kysely } from 'kysely'
import { startTopUps, type TopUpRules } from '../store/payments/start-top-ups.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { Job } from './run-jobs.ts'

const PAUSE_MS = 10_000

/** Starts automatic top-ups. The console processes charge the cards. */
export function startTopUpsJob(database: Kysely<Tables>, rules: TopUpRules): Job {
  return {
    name: 'start-top-ups',
    pauseMs: PAUSE_MS,
    async run() {
      const { more } = await startTopUps(database, rules)
      return more
    },
  }
}
