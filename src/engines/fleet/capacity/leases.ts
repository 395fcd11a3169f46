import type { Beat, BeatPart } from '../beat.ts'

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

/** What a pool, the queue of one model, asks for while requests wait in it. */
export type Ask = {
  /** How many wait, at most `WANT_MAX`. */
  readonly want: number
  /** The clock of the first. */
  readonly head: number
  /** The engines that the first ones would rather use. */
  readonly homes: readonly string[]
  /** All engines that may be used. */
  readonly engines: readonly string[]
}

/** An organization that was active, and how long ago. */
export type Active = readonly [organization: string, agoMs: number]

/** One model's view of what other processes do. */
export type SharedPool = {
  /** The lowest clock that waits in another process; undefined if nobody waits there. */
  readonly head: number | undefined
  /** The highest clock that any process has started. */
  readonly present: number
  /** The two organizations that were active last. */
  readonly active: readonly Active[]
}

/** What a pool contributes. Undefined or empty means nothing. */
export type PoolReports = {
  ask(): Ask | undefined
  /** Organizations that were active since the last call. */
  takeActive(): readonly string[]
  present(): number
  /** Called after each reply. */
  onReply(): void
}

/** The leases of this process, and what its pools know of other processes. */
export type Leases = {
  readonly part: BeatPart
  /** The same object for the same engine. */
  leaseOf(engine: string, slots: number, pool: string): Lease
  addPool(pool: string, reports: PoolReports): void
  poolOf(pool: string): SharedPool
  /** Forgets an engine that nothing runs on any longer. */
  drop(engine: string): void
}

/** How many slots a pool asks for at once. */
export const WANT_MAX = 16

const NOBODY: Omit<SharedPool, 'head'> = { present: 0, active: [] }

type EngineReply = readonly [held: number, spares: number, bound: number, free: number]
type PoolReply = readonly [present: number, ...active: (string | number)[]]
type Reply = {
  readonly engines?: Readonly<Record<string, EngineReply>>
  readonly heads: Readonly<Record<string, number>>
  readonly pools: Readonly<Record<string, PoolReply>>
}

/** For a process without others: it may use every slot. */
export function createOwnLeases(): Pick<Leases, 'leaseOf' | 'addPool' | 'poolOf' | 'drop'> {
  const leases = new Map<string, OwnLease>()
  return {
    leaseOf(engine, slots) {
      const lease = leases.get(engine) ?? new OwnLease(engine, slots)
      lease.slots = slots
      leases.set(engine, lease)
      return lease
    },
    addPool: () => undefined,
    poolOf: () => ({ ...NOBODY, head: undefined }),
    drop: (engine) => void leases.delete(engine),
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

/** A lease that others may have parts of. */
class SharedLease implements Lease {
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

  /** What to keep until the next reply: nothing unused while others wait. */
  keep(isWaitedFor: boolean): number {
    const unused = Math.max(0, this.held - this.running)
    return this.running + Math.min(unused, isWaitedFor ? 0 : this.spares)
  }

  took(): void {
    this.running += 1
  }

  ended(): void {
    this.running -= 1
  }
}

/** Whether what was granted is still ours, and how many processes there are. */
type BeatState = Pick<Beat, 'isFresh' | 'processes' | 'next'>

export function createLeases(beat: () => BeatState): Leases {
  return new SharedLeases(beat)
}

class SharedLeases implements Leases {
  readonly part: BeatPart
  readonly #beat: () => BeatState
  readonly #leases = new Map<string, SharedLease>()
  readonly #reports = new Map<string, PoolReports>()
  readonly #pools = new Map<string, Omit<SharedPool, 'head'>>()
  #heads: Readonly<Record<string, number>> = {}
  /** Pools for which this process is known to wait. */
  readonly #waiting = new Set<string>()

  constructor(beat: () => BeatState) {
    this.#beat = beat
    const isUrgent = () => this.#waiting.size > 0 || this.#hasToGiveBack()
    this.part = {
      get isUrgent() {
        return isUrgent()
      },
      report: (all) => this.#report(all),
      accept: (reply) => this.#accept(reply as Reply),
    }
  }

  leaseOf(engine: string, slots: number, pool: string): Lease {
    const lease = this.#leases.get(engine) ?? new SharedLease(engine, slots, pool, this.#beat)
    lease.slots = slots
    this.#leases.set(engine, lease)
    return lease
  }

  addPool(pool: string, reports: PoolReports): void {
    this.#reports.set(pool, reports)
  }

  poolOf(pool: string): SharedPool {
    return { ...(this.#pools.get(pool) ?? NOBODY), head: this.#heads[pool] }
  }

  drop(engine: string): void {
    this.#leases.delete(engine)
  }

  #hasToGiveBack(): boolean {
    const isUnused = ({ pool, held, running }: SharedLease) =>
      held > running && this.#heads[pool] !== undefined
    return Object.keys(this.#heads).length > 0 && [...this.#leases.values()].some(isUnused)
  }

  #report(all: boolean): object {
    const asks: Record<string, Ask> = {}
    const done: string[] = []
    for (const [pool, reports] of this.#reports) {
      const ask = reports.ask()
      if (ask !== undefined) {
        asks[pool] = ask
        this.#waiting.add(pool)
      } else if (this.#waiting.delete(pool)) done.push(pool)
    }
    return { keep: this.#keep(all, asks), asks, done, ...this.#describePools(all) }
  }

  /** Lowers what is held to what is kept, before the others learn of it. */
  #keep(all: boolean, asks: Readonly<Record<string, Ask>>) {
    const keep: Record<string, readonly [number, number, number, string, number]> = {}
    const asked = new Set(Object.values(asks).flatMap(({ engines }) => engines))
    for (const lease of this.#leases.values()) {
      const { engine, pool, running, slots, needs } = lease
      const kept = lease.keep(this.#heads[pool] !== undefined)
      const isShort = kept - running < lease.spares / 2
      const asks = needs > 0 || asked.has(engine)
      if (!all && kept === lease.held && !isShort && !asks) continue
      lease.unleased += lease.held - kept
      lease.held = kept
      keep[engine] = [kept, running, slots, pool, needs]
    }
    return keep
  }

  #describePools(all: boolean) {
    const active: Record<string, readonly string[]> = {}
    const present: Record<string, number> = {}
    for (const [pool, reports] of this.#reports) {
      const organizations = reports.takeActive()
      if (organizations.length > 0) active[pool] = organizations
      const known = this.#pools.get(pool)?.present ?? 0
      if (reports.present() > known) present[pool] = reports.present()
    }
    return { active, present, pools: all ? [...this.#reports.keys()] : Object.keys(active) }
  }

  #accept({ engines = {}, heads, pools }: Reply): void {
    this.#heads = heads
    for (const [engine, [held, spares, bound, free]] of Object.entries(engines)) {
      const lease = this.#leases.get(engine)
      if (lease !== undefined) Object.assign(lease, { held, spares, bound, unleased: free })
    }
    for (const [pool, told] of Object.entries(pools)) this.#pools.set(pool, readPool(told))
    for (const reports of this.#reports.values()) reports.onReply()
  }
}

function readPool([present, ...active]: PoolReply): Omit<SharedPool, 'head'> {
  const pairs = active.flatMap((value, index) =>
    index % 2 === 0 ? [[String(value), Number(active[index + 1])] as const] : [],
  )
  return { present, active: pairs }
}
