import { createMeter, type Meter } from '../lib/meter.ts'
import { TASKS } from './run-jobs.ts'

/** The metrics of a worker. */
export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics(meter: Meter = createMeter()) {
  const { counter, gauge, page } = meter
  return {
    page,
    posted: counter('headrace_usage_posted_total', 'Usage records posted to PostgreSQL.'),
    replaced: counter(
      'headrace_usage_replaced_total',
      'Rows closed as lost that were replaced by a late settlement of their process.',
    ),
    duplicates: counter(
      'headrace_usage_duplicates_total',
      'Usage records that had already been posted.',
    ),
    rejected: counter(
      'headrace_usage_rejected_total',
      'Entries of the usage log that could not be posted and were moved aside.',
    ),
    closed: counter(
      'headrace_usage_closed_total',
      'Open records closed because their process was lost.',
    ),
    backlog: gauge('headrace_usage_backlog_records', 'Usage records waiting to be posted.'),
    lag: gauge(
      'headrace_usage_lag_seconds',
      'Age of the oldest usage record waiting to be posted.',
    ),
    open: gauge('headrace_open_records', 'Open requests in the usage log.'),
    leader: gauge('headrace_worker_leader', '1 while this worker is the leader, else 0.'),
    /** The names are those of engines and of what is counted. */
    difference: (source: string, name: string) =>
      gauge(
        'headrace_reconciliation_difference',
        'Largest difference between counted usage and posted usage.',
        { source, name },
      ),
    onJobError: countJobErrors(meter, TASKS),
  }
}

/** Counts the failed runs of jobs by their names. */
export function countJobErrors(
  { counter }: Meter,
  tasks: readonly string[],
): (task: string) => void {
  const ofTask = (task: string) =>
    counter('headrace_job_errors_total', 'Failed runs of jobs.', { task })
  for (const task of tasks) ofTask(task)
  return (task) => ofTask(task).add(1)
}
