import type { Pool } from 'pg'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { issueStatements, type InvoiceRules } from '../../store/ledger/issue-statements.ts'
import type { Job } from '../run-jobs.ts'

/** Requests of the last minutes of a month have ended and are posted a day later. */
const WAIT_MS = DAY_MS
const BATCH_ORGANIZATIONS = 100

/**
 * Writes what each organization used in the month that is over, a day after its end, and what it
 * owes if it pays afterwards. The console processes write the invoices at the provider. The rules
 * are asked for at each run; undefined writes no invoices.
 */
export function issueStatementsJob(
  pool: Pick<Pool, 'query'>,
  rulesNow: () => InvoiceRules | undefined,
  now: () => number = Date.now,
): Job {
  return {
    name: 'issue-statements',
    pauseMs: HOUR_MS,
    async run() {
      const month = monthBefore(now() - WAIT_MS)
      const due = await issueStatements(pool, month, BATCH_ORGANIZATIONS, rulesNow())
      return due === BATCH_ORGANIZATIONS
    },
  }
}

/** The first day of the month before the one of a moment, in UTC. */
function monthBefore(timeMs: number): string {
  const date = new Date(timeMs)
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1)
  return new Date(first).toISOString().slice(0, 10)
}
