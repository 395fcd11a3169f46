import type { Heartbeat } from '../heartbeat.ts'

/**
 * What this process may run on one engine. `slots` is what the engine has for all processes;
 * `held` of them are leased to this one.
 */
export type Lease = {
  readonly engine: string
  readonly slots: number
  /** Generations of this process on the engine. */
  readonly running: number
  readonly held: number
  /** What the engine has for all, as far as known; at most `slots`. */
  readonly bound: number
  /** Whether one more generation may start here now. */
  readonly hasRoom: boolean
  /** Whether another process may hold slots that this one could use. */
  readonly isShared: boolean
  /** What runs here and what is leased to others, as far as known. */
  readonly leased: number
  /** How many could start in all processes, as far as known. */
  readonly free: number
  took(): void
  ended(): void
  /** Asks for one slot for a check, so often if there is no room. Whether there is room now. */
  borrow(asks?: number): Promise<boolean>
}

/** Whether what was granted is still ours, and how many processes there are. */
export type HeartbeatState = Pick<Heartbeat, 'isFresh' | 'processes' | 'next'>

/** A lease that others may have parts of. */
export class SharedLease implements Lease {
  readonly engine: string
  slots: number
  /** The models whose requests it takes. */
  pools: readonly string[] = []
  running = 0
  held = 0
  /** What the other processes know that it holds. */
  told = 0
  /** What the engine has, if that is less than its configured slots. */
  bound: number
  /** Leased to nobody, when this was last summed up. */
  unleased = 0
  /** How many this process needs for itself. */
  needs = 0
  /** How many it gives back as its generations end, since the engine may run less than before. */
  owed = 0
  readonly #heartbeat: () => HeartbeatState
  readonly #onEnded: (lease: SharedLease) => void

  constructor(
    engine: string,
    slots: number,
    heartbeat: () => HeartbeatState,
    onEnded: (lease: SharedLease) => void,
  ) {
    this.engine = engine
    this.slots = slots
    this.bound = slots
    this.#heartbeat = heartbeat
    this.#onEnded = onEnded
  }

  /** Without what is for those that borrow: queues would take it before them, each time anew. */
  get hasRoom(): boolean {
    return this.running + this.needs < this.held && this.#heartbeat().isFresh
  }

  get isShared(): boolean {
    return this.#heartbeat().processes > 1
  }

  get leased(): number {
    return this.running + Math.max(0, this.bound - this.unleased - this.held)
  }

  get free(): number {
    return this.unleased + this.unused
  }

  get unused(): number {
    return Math.max(0, this.held - this.running)
  }

  /** How many may be unused: half of what is free is divided among the processes. */
  get spares(): number {
    const { processes } = this.#heartbeat()
    return processes === 1 ? Infinity : Math.floor(this.free / (2 * processes))
  }

  async borrow(asks = 1): Promise<boolean> {
    if (this.hasRoom) return true
    this.needs += 1
    const isGranted = () => this.running + this.needs <= this.held
    for (let asked = 0; asked < asks && !isGranted(); asked += 1) await this.#heartbeat().next()
    this.needs -= 1
    return this.hasRoom
  }

  /**
   * What to keep until the next reply: nothing unused while others wait, or if so long ago was the
   * last reply that others may have it.
   */
  keep(isWaitedFor: boolean): number {
    if (!this.#heartbeat().isFresh || isWaitedFor) return this.running
    return this.running + Math.min(this.unused, this.spares, Math.max(0, this.slots - this.running))
  }

  /** Holds so many from now on; the others know it with the next report, or have granted it. */
  hold(count: number): void {
    this.unleased = Math.max(0, this.unleased + this.held - count)
    this.held = count
    this.told = count
  }

  /** `total` is leased to all processes, of `bound` that may run. */
  learn(total: number, bound: number): void {
    this.bound = bound
    this.unleased = Math.max(0, bound - total)
    const excess = Math.max(0, total - bound)
    this.owed = excess > 0 ? Math.ceil((excess * this.held) / total) : 0
  }

  took(): void {
    this.running += 1
  }

  ended(): void {
    this.running -= 1
    this.#onEnded(this)
    if (this.owed === 0 || this.held === 0) return
    this.owed -= 1
    this.held -= 1
  }
}

/** The part of the engines' slots that this process holds. */
export function shareHeld(leases: readonly Pick<Lease, 'held' | 'bound'>[]): number {
  const held = leases.reduce((sum, lease) => sum + lease.held, 0)
  const all = leases.reduce((sum, lease) => sum + lease.bound, 0)
  return all === 0 ? 1 : Math.min(1, held / all)
}
