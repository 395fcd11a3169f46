/** How many conversations each engine holds, by the seed of the engine. */
export type HeldCounts = {
  /** Those that this process counts and those that others do. */
  of(seed: number): number
  /** Changes what this process counts. */
  add(seed: number, change: number): void
  /** What this process counts, by seed: what has changed, or everything. */
  report(all: boolean): ReadonlyMap<number, number>
  /** The report arrived. With the totals of all processes, if they were summed up again. */
  arrived(totals: ReadonlyMap<number, number> | undefined): void
}

export function createHeldCounts(): HeldCounts {
  // Zeros stay until they have been reported.
  const own = new Map<number, number>()
  /** With those of other processes. */
  let sums = new Map<number, number>()
  const changed = new Set<number>()
  let reported = new Map<number, number>()

  return {
    of: (seed) => sums.get(seed) ?? 0,
    add(seed, change) {
      own.set(seed, (own.get(seed) ?? 0) + change)
      sums.set(seed, (sums.get(seed) ?? 0) + change)
      changed.add(seed)
    },
    report(all) {
      reported = new Map(own)
      const seeds = all ? own.keys() : changed
      const counts = new Map([...seeds].map((seed) => [seed, own.get(seed) ?? 0]))
      changed.clear()
      return counts
    },
    arrived(totals) {
      for (const [seed, count] of reported)
        if (count === 0 && own.get(seed) === 0 && !changed.has(seed)) own.delete(seed)
      if (totals === undefined) return
      sums = new Map(own)
      for (const [seed, total] of totals) {
        const others = Math.max(0, total - (reported.get(seed) ?? 0))
        sums.set(seed, (own.get(seed) ?? 0) + others)
      }
    },
  }
}
