/** What was seen of the leases of one partition, without a gap. */
export type LeaseWatch = {
  /** Whether the lease has been the same for as long as leases last. */
  isSilent(instance: string, lease: string): boolean
  /** Forgets processes that are of no interest any more. */
  keepOnly(isOfInterest: (instance: string) => boolean): void
}

export type LeaseWatches = {
  /** Notes a look at the partition. After a gap the watch begins anew. */
  look(partition: number): LeaseWatch
  /** The partition could not be looked at. */
  lose(partition: number): void
}

/** A lease as it was first seen, and when. */
type Observed = { readonly lease: string; readonly sinceMs: number }

type Kept = { readonly observed: Map<string, Observed>; lookedAtMs: number }

/**
 * Tells processes that are gone by a clock of our own that never jumps, not by the times in their
 * leases. Time in which nobody looked does not count: what stood still then, be it Valkey or this
 * process, may have kept a lease from being renewed, or us from seeing it.
 */
export function watchLeases(leaseMs: number, now: () => number): LeaseWatches {
  const partitions = new Map<number, Kept>()
  return {
    look(partition) {
      const nowMs = now()
      const known = partitions.get(partition)
      const whole = known !== undefined && nowMs - known.lookedAtMs <= leaseMs / 2
      const { observed } = whole ? known : { observed: new Map<string, Observed>() }
      partitions.set(partition, { observed, lookedAtMs: nowMs })
      return {
        isSilent(instance, lease) {
          const seen = observed.get(instance)
          if (seen?.lease === lease) return nowMs - seen.sinceMs >= leaseMs
          observed.set(instance, { lease, sinceMs: nowMs })
          return false
        },
        keepOnly(isOfInterest) {
          for (const instance of observed.keys())
            if (!isOfInterest(instance)) observed.delete(instance)
        },
      }
    },
    lose: (partition) => void partitions.delete(partition),
  }
}
