import type { Lease } from './lease.ts'
import type { Leases } from './leases.ts'

/** For a process without others: it may use every slot. */
export function createOwnLeases(): Omit<Leases, 'part'> {
  const leases = new Map<string, OwnLease>()
  return {
    leaseOf(engine, slots) {
      const lease = leases.get(engine) ?? new OwnLease(engine, slots)
      lease.slots = slots
      leases.set(engine, lease)
      return lease
    },
    describe: () => undefined,
    describeAgain: () => undefined,
    addPool: () => undefined,
    headsOf: () => ({ head: undefined, lowest: undefined }),
    drop: (engine) => void leases.delete(engine),
    dropPool: () => undefined,
  }
}

class OwnLease implements Lease {
  readonly engine: string
  slots: number
  running = 0
  readonly isShared = false

  constructor(engine: string, slots: number) {
    this.engine = engine
    this.slots = slots
  }

  get held(): number {
    return this.slots
  }

  get bound(): number {
    return this.slots
  }

  get hasRoom(): boolean {
    return this.running < this.slots
  }

  get leased(): number {
    return this.running
  }

  get free(): number {
    return Math.max(0, this.slots - this.running)
  }

  async borrow(): Promise<boolean> {
    return this.hasRoom
  }

  took(): void {
    this.running += 1
  }

  ended(): void {
    this.running -= 1
  }
}
