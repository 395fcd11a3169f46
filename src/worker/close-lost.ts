import { forEachLimited } from '../lib/for-each-limited.ts'
import type { Log } from '../lib/log.ts'
import { createOpenRecords, type OpenEntry, type OpenRecords } from '../store/usage/open-records.ts'
import { PARTITIONS } from '../store/valkey/keys.ts'
import { type Valkey } from '../store/valkey/valkey.ts'
import { watchLeases, type LeaseWatch } from './lease-watch.ts'
import type { Job } from './run-jobs.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

/** Looks during one lease: an outage between two looks is then short beside the lease. */
const LOOKS_PER_LEASE = 6
const INTERVAL_MS_MAX = 5_000

/** Partitions that are looked at together. */
const PARTITIONS_AT_ONCE = 16

/** Requests of one partition that are closed at the same time. */
const CLOSED_AT_ONCE = 64

export type CloseLostOptions = {
  readonly valkey: Valkey
  readonly leaseSeconds: number
  readonly metrics: Pick<WorkerMetrics, 'closed' | 'rejected'>
  readonly log: Log
  /** A clock that never jumps. */
  readonly now?: () => number
}

/**
 * Closes requests whose process is gone: one whose lease did not change for as long as leases
 * last, while it could have.
 */
export function closeLost(options: CloseLostOptions): Job {
  const leaseMs = options.leaseSeconds * 1000
  const records = createOpenRecords(options.valkey)
  const watches = watchLeases(leaseMs, options.now ?? (() => performance.now()))
  return {
    name: 'close-lost',
    restMs: Math.min(leaseMs / LOOKS_PER_LEASE, INTERVAL_MS_MAX),
    async run(signal) {
      const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
      const errors: unknown[] = []
      await forEachLimited(PARTITIONS_AT_ONCE, partitions, async (partition) => {
        if (signal.aborted) return
        try {
          await lookAt({ partition, records, ...options }, () => watches.look(partition))
        } catch (error) {
          watches.lose(partition)
          errors.push(error)
        }
      })
      if (errors.length > 0) throw errors[0]
      return false
    },
  }
}

type Place = Pick<CloseLostOptions, 'metrics' | 'log'> & {
  readonly partition: number
  readonly records: OpenRecords
}

async function lookAt(place: Place, watched: () => LeaseWatch): Promise<void> {
  const { open, leases } = await place.records.inspect(place.partition)
  const watch = watched()
  watch.keepOnly((instance) => open > 0 || leases.has(instance))
  const silent = [...leases].filter(([instance, lease]) => watch.isSilent(instance, lease))
  let busy: ReadonlySet<string> = new Set()
  if (open > 0 && (silent.length > 0 || leases.size === 0))
    busy = await closeSilent(place, leases, watch)
  for (const [instance, lease] of silent)
    if (!busy.has(instance)) await place.records.forgetLease(place.partition, instance, lease)
}

/** Returns the processes that have requests left. */
async function closeSilent(
  place: Place,
  leases: ReadonlyMap<string, string>,
  watch: LeaseWatch,
): Promise<ReadonlySet<string>> {
  const busy = new Set<string>()
  let closed = 0
  const closeOne = async ({ id, opened }: OpenEntry) => {
    if (opened === undefined) return discard(place, id)
    // A process without a lease is watched like one whose lease does not change.
    const lease = leases.get(opened.instance) ?? ''
    const silent = watch.isSilent(opened.instance, lease)
    if (silent && (await place.records.close(opened, lease))) closed += 1
    else busy.add(opened.instance)
  }
  for await (const entries of place.records.list(place.partition))
    for (let start = 0; start < entries.length; start += CLOSED_AT_ONCE)
      await Promise.all(entries.slice(start, start + CLOSED_AT_ONCE).map(closeOne))
  if (closed > 0) {
    place.metrics.closed.add(closed)
    place.log.warn({ operation: 'close-lost', count: closed }, 'lost requests closed')
  }
  return busy
}

async function discard({ records, partition, metrics, log }: Place, id: string): Promise<void> {
  await records.discard(partition, id)
  metrics.rejected.add(1)
  log.error({ operation: 'close-lost' }, 'unreadable open record removed')
}
