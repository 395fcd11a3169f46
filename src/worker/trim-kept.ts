import { trimKept } from '../store/usage/kept-entries.ts'
import type { Valkey } from '../store/valkey/valkey.ts'
import type { Job } from './run-jobs.ts'

const INTERVAL_MS = 60_000

/** Deletes posted usage records from Valkey once they were kept for long enough. */
export function trimKeptJob(
  valkey: Pick<Valkey, 'call'>,
  keepMs: number,
  now: () => number = Date.now,
): Job {
  return {
    name: 'trim-kept',
    pauseMs: INTERVAL_MS,
    run: () => trimKept(valkey, now() - keepMs),
  }
}
