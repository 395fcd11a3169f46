import { createMeter } from '../lib/meter.ts'

/** What operators see of a worker. */
export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics() {
  const { counter, gauge, page } = createMeter()
  return {
    page,
    posted: counter('headrace_usage_posted', 'Usage records that became rows.'),
    replaced: counter(
      'headrace_usage_replaced',
      'Rows closed as lost that gave way to what their process wrote after all.',
    ),
    duplicates: counter(
      'headrace_usage_duplicates',
      'Usage records that were in the ledger already.',
    ),
    rejected: counter(
      'headrace_usage_rejected',
      'Entries of the usage log that the ledger could not take, and that were moved aside.',
    ),
    closed: counter(
      'headrace_usage_closed',
      'Open records closed because the process that ran them was gone.',
    ),
    backlog: gauge('headrace_usage_backlog_records', 'Usage records that wait to be posted.'),
    lag: gauge('headrace_usage_lag_seconds', 'Age of the oldest usage record that waits.'),
    open: gauge('headrace_open_records', 'Requests that are open in the usage log.'),
    /** By `source` and `name`. */
    difference: gauge(
      'headrace_reconciliation_difference',
      'What was counted less what the ledger holds, where they differ most.',
    ),
    /** By `job`. */
    jobErrors: counter('headrace_job_errors', 'Failed runs of a job of the worker.', 'labelled'),
  }
}
