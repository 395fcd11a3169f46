import { setTimeout as pause } from 'node:timers/promises'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { traceError, type Log } from '../lib/log.ts'

/** Work that is done again and again. */
export type Job = {
  readonly name: string
  /** How long it rests when there was nothing to do. */
  readonly restMs: number
  /** Does a bounded piece of work, and says whether there may be more at once. */
  run(signal: AbortSignal): Promise<boolean>
}

const BACKOFF_MS = 250
/** A server that comes back is noticed soon, and one that stays away is not asked all the time. */
const BACKOFF_MS_MAX = 10_000

export type JobsOptions = {
  readonly log: Log
  readonly onError?: (job: string) => void
}

/**
 * Runs each job in a loop of its own, so that none waits for another and none overlaps itself. A
 * job that fails is tried again, whatever it was: nothing but the signal ends a loop. Resolves when
 * all have ended.
 */
export async function runJobs(
  jobs: readonly Job[],
  signal: AbortSignal,
  options: JobsOptions,
): Promise<void> {
  await Promise.all(jobs.map((job) => repeat(job, signal, options)))
}

async function repeat(job: Job, signal: AbortSignal, options: JobsOptions): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    let restMs = job.restMs
    try {
      const more = await job.run(signal)
      if (failures > 0) options.log.info({ operation: job.name, count: failures }, 'job recovered')
      failures = 0
      if (more) restMs = 0
    } catch (error) {
      // What is broken off because of the signal is no failure.
      if (signal.aborted) return
      failures += 1
      options.onError?.(job.name)
      options.log.error(
        { operation: job.name, count: failures, error: traceError(error) },
        'job failed',
      )
      restMs = exponentialBackoffMs(failures, BACKOFF_MS, BACKOFF_MS_MAX)
    }
    if (restMs > 0) await pause(restMs, undefined, { signal }).catch(() => {})
  }
}
