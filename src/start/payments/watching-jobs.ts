import { HOUR_MS } from '../../lib/time.ts'
import { compareBooks } from '../../platform/payments/books/compare-books.ts'
import { noteExpiringCards } from '../../platform/payments/watch/note-expiring-cards.ts'
import { readDeclines } from '../../platform/payments/watch/read-declines.ts'
import { readWarnings } from '../../platform/payments/watch/read-warnings.ts'
import { watchPayments } from '../../platform/payments/watch/watch-payments.ts'
import type { Environment } from '../../platform/use-case/environment.ts'
import type { Job } from '../../worker/run-jobs.ts'

/** How old figures of payments on the page of metrics can be. */
const WATCH_PAUSE_MS = 10_000
const DECLINES_PAUSE_MS = 2_000
const WARNINGS_PAUSE_MS = 10_000
/** How late the comparison of a day begins that is due at midnight, and how soon it is retried. */
const COMPARE_PAUSE_MS = 600_000

/** What tells an operator how payments are. */
export function watchingJobs(environment: Environment): readonly Job<string>[] {
  const { paymentMetrics: metrics } = environment
  if (metrics === null) return []
  return [
    {
      name: 'watch-payments',
      pauseMs: WATCH_PAUSE_MS,
      run: () => watchPayments(environment, metrics),
    },
    {
      name: 'read-declines',
      pauseMs: DECLINES_PAUSE_MS,
      run: () => readDeclines(environment),
    },
    {
      name: 'read-warnings',
      pauseMs: WARNINGS_PAUSE_MS,
      run: () => readWarnings(environment),
    },
    {
      name: 'note-expiring-cards',
      pauseMs: HOUR_MS,
      run: () => noteExpiringCards(environment),
    },
    {
      name: 'compare-books',
      pauseMs: COMPARE_PAUSE_MS,
      run: () => compareBooks(environment),
    },
  ]
}
