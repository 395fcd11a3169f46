import { setTimeout as pause } from 'node:timers/promises'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { traceError, type Log } from '../lib/log.ts'

/** The names of the worker's jobs, which are the values of the label `task`. */
export const TASKS = [
  'announce-orders',
  'announce-versions',
  'close-lost',
  'expire-credits',
  'expire-usage',
  'issue-statements',
  'make-partitions',
  'post-usage',
  'purge-content',
  'purge-people',
  'reconcile',
  'record-alerts',
  'recount-running',
  'start-top-ups',
  'sum-ledger',
  'trim-kept',
  'watch-backlog',
] as const

/** A periodic job. */
export type Job<Name extends string = (typeof TASKS)[number]> = {
  readonly name: Name
  /** Pause after a run that found nothing to do. */
  readonly pauseMs: number
  /** Does a bounded amount of work. Returns true to run again immediately. */
  run(signal: AbortSignal): Promise<boolean>
}

const BACKOFF_MS = 250
/**
 * Retries come as often as this at most, or as the job itself if it runs less often: short enough
 * to notice soon that a server is available again.
 */
const BACKOFF_MS_MAX = 10_000

export type JobsOptions = {
  readonly log: Log
  readonly onError?: (task: string) => void
}

/**
 * Runs each job in its own loop, so that jobs do not wait for each other and never overlap
 * themselves. A failed job is retried, whatever the error: only the signal ends a loop. Resolves
 * when all loops have ended.
 */
export async function runJobs(
  jobs: readonly Job<string>[],
  signal: AbortSignal,
  options: JobsOptions,
): Promise<void> {
  await Promise.all(jobs.map((job) => repeat(job, signal, options)))
}

/** Runs a job until it has succeeded once. */
export async function runOnce(
  job: Job<string>,
  signal: AbortSignal,
  options: JobsOptions,
): Promise<void> {
  const done = new AbortController()
  const once: Job<string> = {
    name: job.name,
    // Others wait for it, so it is retried as often as a frequent job.
    pauseMs: 0,
    async run(over) {
      const more = await job.run(over)
      if (!more) done.abort()
      return more
    },
  }
  await repeat(once, AbortSignal.any([signal, done.signal]), options)
}

async function repeat(job: Job<string>, signal: AbortSignal, options: JobsOptions): Promise<void> {
  const backoffMsMax = Math.max(job.pauseMs, BACKOFF_MS_MAX)
  let failures = 0
  while (!signal.aborted) {
    let pauseMs = job.pauseMs
    try {
      const more = await job.run(signal)
      if (failures > 0) options.log.info({ operation: job.name, count: failures }, 'job recovered')
      failures = 0
      if (more) pauseMs = 0
    } catch (error) {
      // An abort by the signal is not a failure.
      if (signal.aborted) return
      failures += 1
      options.onError?.(job.name)
      options.log.error(
        { operation: job.name, count: failures, error: traceError(error) },
        'job failed',
      )
      pauseMs = exponentialBackoffMs(failures, BACKOFF_MS, backoffMsMax)
    }
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal }).catch(() => {})
  }
}
