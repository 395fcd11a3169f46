import type { HeartbeatPart, Telling } from '../heartbeat.ts'
import { Descriptions, type EngineDescription } from './descriptions.ts'
import { SharedLease, type HeartbeatState, type Lease } from './lease.ts'

/** What a pool, the queue of one model, asks for while requests wait in it. */
export type Ask = {
  /** How many wait, at most `WANT_MAX`. */
  readonly want: number
  /** The virtual time of the first. */
  readonly head: number
  /** The engines that the first ones would rather use. */
  readonly homes: readonly string[]
}

/** The lowest virtual times that wait in other processes, for one model. */
export type Heads = {
  /** Undefined if nobody waits there. */
  readonly lowest: number | undefined
  /** The same, if what this process holds and does not use is needed there. */
  readonly head: number | undefined
}

/** What the pool of a model contributes. */
export type Asking = {
  /** Undefined if nobody waits. */
  ask(): Ask | undefined
  /** Called after each reply. */
  onReply(): void
}

/** The leases of this process, and who waits for slots. */
export type Leases = {
  readonly part: HeartbeatPart
  /** The same object for the same engine. */
  leaseOf(engine: string, slots: number): Lease
  /** All engines, by name. */
  describe(engines: ReadonlyMap<string, EngineDescription>): void
  /** Something in the description of an engine has changed. */
  describeAgain(engine: string): void
  addPool(pool: string, asking: Asking): void
  headsOf(pool: string): Heads
  /** Gives back the slots of an engine that nothing runs on any longer. */
  drop(engine: string): void
  /** Forgets the pool of a model that was removed. */
  dropPool(pool: string): void
}

/** How many slots a pool asks for at once. */
export const WANT_MAX = 16
/** While others wait few slots are granted at a time, so that few engines have to be named. */
const CONTENDED_HOMES_MAX = 4

const NOTHING_SENT = { leases: [], dropped: [], done: [] }

type Reply = {
  /** Empty lists arrive as empty objects. */
  readonly held: readonly number[] | Readonly<Record<string, never>>
  readonly more: Readonly<Record<string, number>>
  readonly heads: Readonly<Record<string, number>>
  readonly lowest: Readonly<Record<string, number>>
}

type Sent = {
  readonly leases: readonly SharedLease[]
  readonly dropped: readonly string[]
  readonly done: readonly string[]
}

export function createLeases(heartbeat: () => HeartbeatState): SharedLeases {
  return new SharedLeases(heartbeat)
}

export class SharedLeases implements Leases {
  readonly part: HeartbeatPart
  readonly #heartbeat: () => HeartbeatState
  readonly #leases = new Map<string, SharedLease>()
  /** Those of which the others should perhaps know more. */
  readonly #loose = new Set<SharedLease>()
  readonly #asking = new Map<string, Asking>()
  readonly #descriptions = new Descriptions()
  #heads: Readonly<Record<string, number>> = {}
  #lowest: Readonly<Record<string, number>> = {}
  /** Pools for which this process is known to wait. */
  readonly #waiting = new Set<string>()
  /** Engines and pools that are gone, until the others know. */
  readonly #dropped = new Set<string>()
  readonly #done = new Set<string>()
  #sent: Sent = NOTHING_SENT

  constructor(heartbeat: () => HeartbeatState) {
    this.#heartbeat = heartbeat
    const isUrgent = () => this.#waiting.size > 0 || this.#hasToGiveBack()
    this.part = {
      get isUrgent() {
        return isUrgent()
      },
      report: (telling) => this.#report(telling),
      accept: (reply) => this.#accept(reply as Reply | undefined),
    }
  }

  leaseOf(engine: string, slots: number): Lease {
    const onEnded = (lease: SharedLease) => {
      if (this.#leases.get(lease.engine) === lease) this.#loose.add(lease)
    }
    const lease =
      this.#leases.get(engine) ?? new SharedLease(engine, slots, this.#heartbeat, onEnded)
    lease.slots = slots
    this.#leases.set(engine, lease)
    this.#dropped.delete(engine)
    return lease
  }

  describe(engines: ReadonlyMap<string, EngineDescription>): void {
    this.#descriptions.replace(engines)
    for (const [name, { pools }] of engines) {
      const lease = this.#leases.get(name)
      if (lease !== undefined) lease.pools = pools
    }
  }

  describeAgain(engine: string): void {
    this.#descriptions.update(engine)
  }

  addPool(pool: string, asking: Asking): void {
    this.#asking.set(pool, asking)
  }

  headsOf(pool: string): Heads {
    return { head: this.#heads[pool], lowest: this.#lowest[pool] }
  }

  drop(engine: string): void {
    const lease = this.#leases.get(engine)
    if (lease === undefined) return
    this.#leases.delete(engine)
    this.#loose.delete(lease)
    this.#descriptions.forget(engine)
    this.#dropped.add(engine)
  }

  dropPool(pool: string): void {
    this.#asking.delete(pool)
    this.#waiting.delete(pool)
    this.#done.add(pool)
  }

  /** What all processes lease of an engine, and how many may run on it. */
  learn(engine: string, total: number, bound: number): void {
    this.#leases.get(engine)?.learn(total, bound)
  }

  #isWaitedFor({ pools }: SharedLease): boolean {
    return pools.some((pool) => this.#heads[pool] !== undefined)
  }

  #hasToGiveBack(): boolean {
    if (Object.keys(this.#heads).length === 0) return false
    return [...this.#loose].some((lease) => lease.unused > 0 && this.#isWaitedFor(lease))
  }

  #report(telling: Telling): object | undefined {
    const asks = this.#takeAsks()
    const described = this.#descriptions.take(telling.whole, this.#leases)
    const named = this.#findTold(telling, asks, Object.keys(described))
    this.#sent = { leases: named, dropped: [...this.#dropped], done: [...this.#done] }
    const places = new Map(named.map(({ engine }, index) => [engine, index + 1]))
    const isQuiet = named.length + this.#dropped.size + this.#done.size + asks.size === 0
    if (isQuiet && !telling.figures) return undefined
    const running = named.map((lease) => lease.running)
    const needs = named.map((lease) => lease.needs)
    return {
      whole: telling.whole || undefined,
      names: named.length === 0 ? undefined : [...places.keys()],
      keep: named.map((lease) => this.#giveBack(lease)),
      running,
      needs: needs.some((count) => count > 0) ? needs : undefined,
      described,
      dropped: this.#sent.dropped,
      done: this.#sent.done,
      asks: Object.fromEntries(
        [...asks].map(([pool, { want, head, homes }]) => {
          const wanted = homes.flatMap((home) => places.get(home) ?? [])
          return [pool, [want, head, wanted]]
        }),
      ),
    }
  }

  /** Lowers what is held to what is kept, before the others learn of it. */
  #giveBack(lease: SharedLease): number {
    lease.hold(lease.keep(this.#isWaitedFor(lease)))
    return lease.held
  }

  #takeAsks(): Map<string, Ask> {
    const asks = new Map<string, Ask>()
    for (const [pool, asking] of this.#asking) {
      const ask = asking.ask()
      if (ask !== undefined) {
        const isContended = this.#lowest[pool] !== undefined
        const homes = isContended ? ask.homes.slice(0, CONTENDED_HOMES_MAX) : ask.homes
        asks.set(pool, { ...ask, homes })
        this.#waiting.add(pool)
        this.#done.delete(pool)
      } else if (this.#waiting.delete(pool)) this.#done.add(pool)
    }
    return asks
  }

  /** The leases that should change. */
  #findTold(
    { whole, figures }: Telling,
    asks: ReadonlyMap<string, Ask>,
    described: readonly string[],
  ): SharedLease[] {
    if (whole) return [...this.#leases.values()]
    const told = new Set<SharedLease>()
    for (const lease of this.#loose) {
      if (lease.keep(this.#isWaitedFor(lease)) !== lease.told) told.add(lease)
      else if (lease.unused === 0) this.#loose.delete(lease)
    }
    const add = (engine: string) => {
      const lease = this.#leases.get(engine)
      if (lease !== undefined) told.add(lease)
    }
    for (const { homes } of asks.values()) homes.forEach(add)
    described.forEach(add)
    if (!figures && !this.#hasNeeds) return [...told]
    for (const lease of this.#leases.values()) {
      const isShort = lease.unused < lease.spares / 2 && lease.unleased > 0
      if (lease.needs > 0 || (isShort && !this.#isWaitedFor(lease))) told.add(lease)
    }
    return [...told]
  }

  get #hasNeeds(): boolean {
    for (const { needs } of this.#leases.values()) if (needs > 0) return true
    return false
  }

  #accept(reply: Reply | undefined): void {
    if (reply === undefined) return
    this.#heads = reply.heads
    this.#lowest = reply.lowest
    const { leases, dropped, done } = this.#sent
    this.#sent = NOTHING_SENT
    for (const engine of dropped) this.#dropped.delete(engine)
    for (const pool of done) this.#done.delete(pool)
    for (const [index, held] of Object.values(reply.held).entries()) this.#hold(leases[index], held)
    for (const [engine, held] of Object.entries(reply.more)) {
      const lease = this.#leases.get(engine)
      if (lease === undefined) this.#dropped.add(engine)
      else this.#hold(lease, held)
    }
  }

  /** An engine that was dropped meanwhile is reported as dropped, or described again. */
  #hold(lease: SharedLease | undefined, held: number): void {
    if (lease === undefined || this.#leases.get(lease.engine) !== lease) return
    lease.hold(held)
    if (lease.unused > 0) this.#loose.add(lease)
  }

  /** Every pool may start what it can now. */
  onReplied(): void {
    for (const asking of this.#asking.values()) asking.onReply()
  }
}
