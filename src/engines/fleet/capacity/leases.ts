import type { BeatPart } from '../beat.ts'
import { OwnLease, SharedLease, type BeatState, type Lease } from './lease.ts'

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
  readonly lowest: number | undefined
  /** The same, if what this process holds and does not use is needed there. */
  readonly head: number | undefined
  /** The highest clock that any process has started. */
  readonly present: number
  /** The two organizations that were active last. */
  readonly active: readonly Active[]
  /** What organizations run in other processes, of those that run much here. */
  readonly runningElsewhere: Readonly<Record<string, number>>
}

/** What a pool contributes. Undefined or empty means nothing. */
export type PoolReports = {
  ask(): Ask | undefined
  /** Organizations that were active since the last call. */
  takeActive(): readonly string[]
  present(): number
  /** Organizations that run much, and how much. */
  running(): Readonly<Record<string, number>>
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
  /** Gives back the slots of an engine that nothing runs on any longer. */
  drop(engine: string): void
  /** Forgets the pool of a model that was removed. */
  dropPool(pool: string): void
}

/** Every so many beats a process tells all its leases, to learn what the others changed. */
const BEATS_TOLD = 4
/** How many slots a pool asks for at once. */
export const WANT_MAX = 16

const NOBODY: Omit<SharedPool, 'head' | 'lowest'> = { present: 0, active: [], runningElsewhere: {} }

const NOTHING_SENT = { engines: [], pools: [] }

type EngineReply = readonly [
  held: number,
  spares: number,
  bound: number,
  free: number,
  owed: number,
]
type PoolReply = readonly [present: number, ...active: (string | number)[]]
type Reply = {
  readonly engines?: Readonly<Record<string, EngineReply>>
  readonly heads: Readonly<Record<string, number>>
  readonly lowest: Readonly<Record<string, number>>
  readonly pools: Readonly<Record<string, PoolReply>>
  readonly running: Readonly<Record<string, Readonly<Record<string, number>>>>
}

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
    addPool: () => undefined,
    poolOf: () => ({ ...NOBODY, head: undefined, lowest: undefined }),
    drop: (engine) => void leases.delete(engine),
    dropPool: () => undefined,
  }
}

export function createLeases(beat: () => BeatState): Leases {
  return new SharedLeases(beat)
}

class SharedLeases implements Leases {
  readonly part: BeatPart
  readonly #beat: () => BeatState
  readonly #leases = new Map<string, SharedLease>()
  readonly #reports = new Map<string, PoolReports>()
  readonly #pools = new Map<string, Omit<SharedPool, 'head' | 'lowest'>>()
  #heads: Readonly<Record<string, number>> = {}
  #lowest: Readonly<Record<string, number>> = {}
  /** Pools for which this process is known to wait. */
  readonly #waiting = new Set<string>()
  #beats = 0
  /** What was told of each pool's organizations. */
  readonly #running = new Map<string, Readonly<Record<string, number>>>()
  /** Engines and pools that are gone, until the others know. */
  readonly #dropped = new Set<string>()
  readonly #droppedPools = new Set<string>()
  /** Those of them in the report that was sent. */
  #sent: { readonly engines: readonly string[]; readonly pools: readonly string[] } = NOTHING_SENT

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
    this.#dropped.delete(engine)
    return lease
  }

  addPool(pool: string, reports: PoolReports): void {
    this.#reports.set(pool, reports)
    this.#droppedPools.delete(pool)
  }

  poolOf(pool: string): SharedPool {
    const known = this.#pools.get(pool) ?? NOBODY
    return { ...known, head: this.#heads[pool], lowest: this.#lowest[pool] }
  }

  drop(engine: string): void {
    if (this.#leases.delete(engine)) this.#dropped.add(engine)
  }

  dropPool(pool: string): void {
    this.#reports.delete(pool)
    this.#pools.delete(pool)
    this.#droppedPools.add(pool)
  }

  #hasToGiveBack(): boolean {
    const isUnused = ({ pool, held, running }: SharedLease) =>
      held > running && this.#heads[pool] !== undefined
    return Object.keys(this.#heads).length > 0 && [...this.#leases.values()].some(isUnused)
  }

  #report(isFirst: boolean): object {
    this.#beats += 1
    const all = isFirst || this.#beats % BEATS_TOLD === 0
    const dropped = [...this.#dropped]
    const done = [...this.#droppedPools]
    this.#sent = { engines: dropped, pools: [...done] }
    const asks: Record<string, Ask> = {}
    for (const [pool, reports] of this.#reports) {
      const ask = reports.ask()
      if (ask !== undefined) {
        asks[pool] = ask
        this.#waiting.add(pool)
        // After a failed beat the others may not know that the pool waits no longer.
      } else if (this.#waiting.delete(pool) || isFirst) done.push(pool)
    }
    const pools = this.#describePools(isFirst)
    return { keep: this.#keep(all, asks), dropped, asks, done, ...pools }
  }

  /** Lowers what is held to what is kept, before the others learn of it. */
  #keep(all: boolean, asks: Readonly<Record<string, Ask>>) {
    const keep: Record<string, readonly [number, number, number, string, number]> = {}
    const asked = new Set(Object.values(asks).flatMap(({ engines }) => engines))
    for (const lease of this.#leases.values()) {
      const { engine, pool, running, slots, needs } = lease
      const kept = lease.keep(this.#heads[pool] !== undefined)
      const isShort = kept - running < lease.spares / 2
      const isAsked = needs > 0 || asked.has(engine)
      if (!all && kept === lease.held && !isShort && !isAsked) continue
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
    const pools = all ? [...this.#reports.keys()] : Object.keys(active)
    return { active, present, pools, running: this.#describeRunning() }
  }

  /** Those that ran much the last time are told once more, with 0. */
  #describeRunning() {
    const running: Record<string, Readonly<Record<string, number>>> = {}
    for (const [pool, reports] of this.#reports) {
      const now = reports.running()
      const before = this.#running.get(pool)
      if (before === undefined && Object.keys(now).length === 0) continue
      running[pool] = { ...zerosOf(before), ...now }
      if (Object.keys(now).length === 0) this.#running.delete(pool)
      else this.#running.set(pool, now)
    }
    for (const pool of this.#droppedPools) running[pool] = zerosOf(this.#running.get(pool))
    return running
  }

  /** The others know now, except of what came back meanwhile. */
  #forgetDropped(): void {
    for (const engine of this.#sent.engines) this.#dropped.delete(engine)
    for (const pool of this.#sent.pools)
      if (this.#droppedPools.delete(pool)) {
        this.#running.delete(pool)
        this.#waiting.delete(pool)
      }
    this.#sent = NOTHING_SENT
  }

  #accept({ engines = {}, heads, lowest, pools, running }: Reply): void {
    this.#heads = heads
    this.#lowest = lowest
    this.#forgetDropped()
    for (const [engine, [held, spares, bound, free, owed]] of Object.entries(engines)) {
      const lease = this.#leases.get(engine)
      if (lease !== undefined) Object.assign(lease, { held, spares, bound, unleased: free, owed })
    }
    for (const [pool, told] of Object.entries(pools)) {
      const known = this.#pools.get(pool) ?? NOBODY
      this.#pools.set(pool, { ...known, ...readPool(told) })
    }
    for (const [pool, totals] of Object.entries(running)) {
      if (!this.#reports.has(pool)) continue
      const told = this.#running.get(pool) ?? {}
      const others = Object.entries(totals).map(
        ([organization, total]) => [organization, total - (told[organization] ?? 0)] as const,
      )
      const known = this.#pools.get(pool) ?? NOBODY
      this.#pools.set(pool, { ...known, runningElsewhere: Object.fromEntries(others) })
    }
    for (const reports of this.#reports.values()) reports.onReply()
  }
}

function zerosOf(counts: Readonly<Record<string, number>> = {}): Record<string, number> {
  return Object.fromEntries(Object.keys(counts).map((organization) => [organization, 0]))
}

function readPool([present, ...active]: PoolReply): Pick<SharedPool, 'present' | 'active'> {
  const pairs = active.flatMap((value, index) =>
    index % 2 === 0 ? [[String(value), Number(active[index + 1])] as const] : [],
  )
  return { present, active: pairs }
}
