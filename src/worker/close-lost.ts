import { forEachLimited } from '../lib/for-each-limited.ts'
import type { Log } from '../lib/log.ts'
import { createOpenRecords, type OpenEntry, type OpenRecords } from '../store/usage/open-records.ts'
import { PARTITIONS } from '../store/valkey/keys.ts'
import { type Valkey } from '../store/valkey/valkey.ts'
import { watchLeases, type LeaseWatch } from './lease-watch.ts'
import type { Job } from './run-jobs.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

/** Runs per lease, so that the time between two runs is short compared to a lease. */
const RUNS_PER_LEASE = 6
const INTERVAL_MS_MAX = 5_000

/** Partitions processed concurrently. */
const CONCURRENT_PARTITIONS = 16

/** Requests of one partition closed concurrently. */
const CONCURRENT_CLOSES = 64

export type CloseLostOptions = {
  readonly valkey: Valkey
  readonly leaseSeconds: number
  readonly metrics: Pick<WorkerMetrics, 'closed' | 'rejected'>
  readonly log: Log
  /** A monotonic clock. */
  readonly now?: () => number
}

/**
 * Closes the requests of lost processes: those that have not renewed their lease for its whole
 * duration, although they could have.
 */
export function closeLost(options: CloseLostOptions): Job {
  const leaseMs = options.leaseSeconds * 1000
  const records = createOpenRecords(options.valkey)
  const watches = watchLeases(leaseMs, options.now ?? (() => performance.now()))
  return {
    name: 'close-lost',
    pauseMs: Math.min(leaseMs / RUNS_PER_LEASE, INTERVAL_MS_MAX),
    async run(signal) {
      const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
      const errors: unknown[] = []
      await forEachLimited(CONCURRENT_PARTITIONS, partitions, async (partition) => {
        if (signal.aborted) return
        try {
          await closePartition({ partition, records, ...options }, () => watches.start(partition))
        } catch (error) {
          watches.interrupt(partition)
          errors.push(error)
        }
      })
      if (errors.length > 0) throw errors[0]
      return false
    },
  }
}

type Context = Pick<CloseLostOptions, 'metrics' | 'log'> & {
  readonly partition: number
  readonly records: OpenRecords
}

async function closePartition(context: Context, startWatch: () => LeaseWatch): Promise<void> {
  const { open, leases } = await context.records.inspect(context.partition)
  const watch = startWatch()
  watch.keepOnly((instance) => open > 0 || leases.has(instance))
  const silent = [...leases].filter(([instance, lease]) => watch.isSilent(instance, lease))
  let busy: ReadonlySet<string> = new Set()
  // A request without a lease, as of a process that stopped, is only found by looking at them all.
  if (open > 0 && (silent.length > 0 || watch.isSearchDue()))
    busy = await closeSilent(context, leases, watch)
  for (const [instance, lease] of silent)
    if (!busy.has(instance)) await context.records.forgetLease(context.partition, instance, lease)
}

/** Returns the processes that still have open requests. */
async function closeSilent(
  context: Context,
  leases: ReadonlyMap<string, string>,
  watch: LeaseWatch,
): Promise<ReadonlySet<string>> {
  const busy = new Set<string>()
  let closed = 0
  const closeOne = async ({ id, opened }: OpenEntry) => {
    if (opened === undefined) return discard(context, id)
    // A missing lease counts as a lease that does not change.
    const lease = leases.get(opened.instance) ?? ''
    const silent = watch.isSilent(opened.instance, lease)
    if (silent && (await context.records.close(opened, lease))) closed += 1
    else busy.add(opened.instance)
  }
  for await (const entries of context.records.list(context.partition))
    for (let start = 0; start < entries.length; start += CONCURRENT_CLOSES)
      await Promise.all(entries.slice(start, start + CONCURRENT_CLOSES).map(closeOne))
  if (closed > 0) {
    context.metrics.closed.add(closed)
    context.log.warn({ operation: 'close-lost', count: closed }, 'lost requests closed')
  }
  return busy
}

async function discard({ records, partition, metrics, log }: Context, id: string): Promise<void> {
  await records.discard(partition, id)
  metrics.rejected.add(1)
  log.error({ operation: 'close-lost' }, 'unreadable open record removed')
}
