import type { Kysely } from 'kysely'
import { startTopUps, type TopUpRules } from '../../store/payments/start-top-ups.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Job } from '../run-jobs.ts'

const PAUSE_MS = 10_000

/**
 * Starts automatic top-ups. The console processes charge the cards. The rules are asked for at each
 * run; undefined starts none.
 */
export function startTopUpsJob(
  database: Kysely<Tables>,
  rulesNow: () => TopUpRules | undefined,
): Job {
  return {
    name: 'start-top-ups',
    pauseMs: PAUSE_MS,
    async run() {
      const rules = rulesNow()
      if (rules === undefined) return false
      const { more } = await startTopUps(database, rules)
      return more
    },
  }
}
