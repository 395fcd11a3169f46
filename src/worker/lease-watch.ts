/** The leases of one partition, observed without a gap. */
export type LeaseWatch = {
  /** Whether the lease has not changed for its whole duration. */
  isSilent(instance: string, lease: string): boolean
  /** Whether a lease's duration has passed since this last said so. */
  isSearchDue(): boolean
  /** Forgets all other processes. */
  keepOnly(isRelevant: (instance: string) => boolean): void
}

export type LeaseWatches = {
  /** Continues the watch of a partition, or restarts it after a gap. */
  start(partition: number): LeaseWatch
  /** The partition could not be read, so its watch restarts. */
  interrupt(partition: number): void
}

/** A lease and the time when it was first seen. */
type Observed = { readonly lease: string; readonly sinceMs: number }

type Partition = {
  readonly observed: Map<string, Observed>
  observedAtMs: number
  searchedAtMs: number
}

/**
 * Detects lost processes by our own monotonic clock, not by the times in their leases. Time without
 * observation does not count: an outage of Valkey or a pause of this process may have prevented a
 * renewal, or hidden it from us.
 */
export function watchLeases(leaseMs: number, now: () => number): LeaseWatches {
  const partitions = new Map<number, Partition>()
  return {
    start(partition) {
      const nowMs = now()
      const known = partitions.get(partition)
      const hasNoGap = known !== undefined && nowMs - known.observedAtMs <= leaseMs / 2
      const state = hasNoGap
        ? known
        : { observed: new Map<string, Observed>(), searchedAtMs: -Infinity }
      const { observed } = state
      const watched = { ...state, observedAtMs: nowMs }
      partitions.set(partition, watched)
      return {
        isSilent(instance, lease) {
          const seen = observed.get(instance)
          if (seen?.lease === lease) return nowMs - seen.sinceMs >= leaseMs
          observed.set(instance, { lease, sinceMs: nowMs })
          return false
        },
        isSearchDue() {
          if (nowMs - watched.searchedAtMs < leaseMs) return false
          watched.searchedAtMs = nowMs
          return true
        },
        keepOnly(isRelevant) {
          for (const instance of observed.keys())
            if (!isRelevant(instance)) observed.delete(instance)
        },
      }
    },
    interrupt: (partition) => void partitions.delete(partition),
  }
}
