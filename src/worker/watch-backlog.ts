import { readBacklog } from '../store/usage/usage-stream.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

const INTERVAL_MS = 5_000

/** Looks at what waits, apart from posting it: so it also tells when posting stands still. */
export function watchBacklog(
  valkey: Valkey,
  metrics: Pick<WorkerMetrics, 'backlog' | 'lag' | 'open'>,
): Job {
  return {
    name: 'watch-backlog',
    restMs: INTERVAL_MS,
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
