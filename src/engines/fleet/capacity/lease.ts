import type { Beat } from '../beat.ts'

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
  /** Asks for one slot for a check, if there is no room. Whether there is room now. */
  borrow(): Promise<boolean>
}

/** Whether what was granted is still ours, and how many processes there are. */
export type BeatState = Pick<Beat, 'isFresh' | 'processes' | 'next'>

export class OwnLease implements Lease {
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

/** A lease that others may have parts of. */
export class SharedLease implements Lease {
  readonly engine: string
  readonly pool: string
  slots: number
  running = 0
  held = 0
  /** How many of those that it holds may be unused. */
  spares = Infinity
  /** What the engine has, if that is less than its configured slots. */
  bound: number
  /** Leased to nobody. */
  unleased = 0
  /** How many this process needs for itself. */
  needs = 0
  /** How many it gives back as its generations end, since the engine may run less than before. */
  owed = 0
  readonly #beat: () => BeatState

  constructor(engine: string, slots: number, pool: string, beat: () => BeatState) {
    this.engine = engine
    this.slots = slots
    this.pool = pool
    this.bound = slots
    this.#beat = beat
  }

  get hasRoom(): boolean {
    return this.running < this.held && this.#beat().isFresh
  }

  get isShared(): boolean {
    return this.#beat().processes > 1
  }

  get leased(): number {
    return this.running + Math.max(0, this.bound - this.unleased - this.held)
  }

  get free(): number {
    return this.unleased + Math.max(0, this.held - this.running)
  }

  async borrow(): Promise<boolean> {
    if (this.hasRoom) return true
    this.needs += 1
    await this.#beat().next()
    this.needs -= 1
    return this.hasRoom
  }

  /**
   * What to keep until the next reply: nothing unused while others wait, or if so long ago was the
   * last reply that others may have it.
   */
  keep(isWaitedFor: boolean): number {
    if (!this.#beat().isFresh) return this.running
    const unused = Math.max(0, this.held - this.running)
    return this.running + Math.min(unused, isWaitedFor ? 0 : this.spares)
  }

  took(): void {
    this.running += 1
  }

  ended(): void {
    this.running -= 1
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
