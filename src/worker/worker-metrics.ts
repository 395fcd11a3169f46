import { createMeter } from '../lib/meter.ts'

/** The metrics of a worker. */
export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics() {
  const { counter, gauge, page } = createMeter()
  return {
    page,
    posted: counter('headrace_usage_posted', 'Usage records posted to PostgreSQL.'),
    replaced: counter(
      'headrace_usage_replaced',
      'Rows closed as lost that were replaced by a late settlement of their process.',
    ),
    duplicates: counter('headrace_usage_duplicates', 'Usage records that had already been posted.'),
    rejected: counter(
      'headrace_usage_rejected',
      'Entries of the usage log that could not be posted and were moved aside.',
    ),
    closed: counter('headrace_usage_closed', 'Open records closed because their process was lost.'),
    backlog: gauge('headrace_usage_backlog_records', 'Usage records waiting to be posted.'),
    lag: gauge(
      'headrace_usage_lag_seconds',
      'Age of the oldest usage record waiting to be posted.',
    ),
    open: gauge('headrace_open_records', 'Open requests in the usage log.'),
    leader: gauge('headrace_worker_leader', '1 while this worker is the leader, else 0.'),
    /** By `source` and `name`. */
    difference: gauge(
      'headrace_reconciliation_difference',
      'Largest difference between counted usage and posted usage.',
    ),
    /** By `job`. */
    jobErrors: counter('headrace_job_errors', 'Failed runs of worker jobs.', 'labelled'),
  }
}
