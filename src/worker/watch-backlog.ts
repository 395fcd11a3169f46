import { readBacklog } from '../store/usage/usage-stream.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

const INTERVAL_MS = 5_000

/** Measures the backlog independently of posting, so that it also shows when posting stops. */
export function watchBacklog(
  valkey: Valkey,
  metrics: Pick<WorkerMetrics, 'backlog' | 'lag' | 'open'>,
): Job {
  return {
    name: 'watch-backlog',
    pauseMs: INTERVAL_MS,
    async run() {
      const { records, oldestMs, open } = await readBacklog(valkey)
      metrics.backlog.record(records)
      const ageMs = oldestMs === undefined ? 0 : Date.now() - oldestMs
      metrics.lag.record(Math.max(0, ageMs) / 1000)
      metrics.open.record(open)
      return false
    },
  }
}
