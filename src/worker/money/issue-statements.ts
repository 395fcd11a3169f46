import type { Pool } from 'pg'
import type { Log } from '../../lib/log.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { issueStatements, type InvoiceRules } from '../../store/ledger/issue-statements.ts'
import { readBacklog } from '../../store/usage/usage-stream.ts'
import type { Valkey } from '../../store/valkey/valkey.ts'
import type { Job } from '../run-jobs.ts'

/** Requests of the last minutes of a month have ended and are posted a day later. */
const WAIT_MS = DAY_MS
/** What takes longer to be posted is on the next statement. */
const WAIT_MS_MAX = WAIT_MS + 3 * DAY_MS
const BATCH_ORGANIZATIONS = 100

type Issuing = {
  readonly pool: Pick<Pool, 'query'>
  readonly valkey: Pick<Valkey, 'call'>
  readonly log: Log
  /** Asked for at each run; undefined writes no invoices. */
  readonly rulesNow: () => InvoiceRules | undefined
  readonly now?: () => number
}

/**
 * Writes what each organization used in the month that is over, a day after its end, and what it
 * owes if it pays afterwards. Usage of the month that waits to be posted delays it by at most three
 * days. The console processes write the invoices at the provider.
 */
export function issueStatementsJob({ pool, valkey, log, rulesNow, now = Date.now }: Issuing): Job {
  return {
    name: 'issue-statements',
    pauseMs: HOUR_MS,
    async run() {
      const nowMs = now()
      const endMs = startOfMonth(nowMs - WAIT_MS, 0)
      if (nowMs < endMs + WAIT_MS_MAX) {
        const { oldestMs = Infinity, records } = await readBacklog(valkey)
        if (oldestMs < endMs) {
          log.warn({ count: records }, 'statements wait for usage to be posted')
          return false
        }
      }
      const month = new Date(startOfMonth(nowMs - WAIT_MS, -1)).toISOString().slice(0, 10)
      const due = await issueStatements(pool, month, BATCH_ORGANIZATIONS, rulesNow())
      return due === BATCH_ORGANIZATIONS
    },
  }
}

/** The first moment of the month of a time, in UTC, or of one so many months later. */
function startOfMonth(timeMs: number, later: number): number {
  const date = new Date(timeMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}
