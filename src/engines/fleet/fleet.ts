import type { EngineState } from '../../contract/management/operator-system.ts'
import type { Log } from '../../lib/log.ts'
import type { Engine, EngineError } from '../adapters/engine.ts'
import { createBeat, type Beat, type BeatExchange } from './beat.ts'
import { createMember, type Member } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
import { createLeases, createOwnLeases } from './leases.ts'
import { createModelPool, type ModelPool, type SlotRequest } from './model-pool.ts'
import { createSlot, type Slot } from './slot.ts'
import { createSlotTable, type EngineAccess } from './slot-table.ts'
import { watchCache } from './watch-cache.ts'

export type Fleet = AsyncDisposable & {
  /** Throws NoCapacity if no slot becomes free within the queue timeout. */
  takeSlot(modelId: string, request: SlotRequest, signal: AbortSignal): Promise<Slot>
  /** Any healthy engine of the model, for calls that need no slot. */
  anyEngine(modelId: string): Engine | undefined
  /** Whether requests can be sent to an engine of the model now. */
  isReady(modelId: string): boolean
  /**
   * Replaces the engines. Those that left finish what they run, and are closed. `weights` are by
   * name of the engine; the default is 1.
   */
  update(enginesByModel: EnginesByModel, weights?: ReadonlyMap<string, number>): void
  readonly engines: ReadonlySet<Engine>
  slotsInUse(): number
  /** By name of the engine, for operators. One that has several models' names is one engine. */
  states(): Readonly<Record<string, EngineState>>
  /** The number of healthy engines of each model. */
  healthyEngines(): Readonly<Record<string, number>>
  /** The number of engines whose cached prompts are reused at the moment. */
  cachesInUse(): number
  /**
   * From now on, shares what it knows with other processes, and checks the engines whose prompt
   * caches belong to slots. Resolves when this process holds slots, or could not get any yet.
   */
  start(): Promise<void>
}

/** The model was removed after the request began. */
export class NoSuchModel extends Error {
  override readonly name = 'NoSuchModel'
}

/** What a fleet reports while it works, for metrics. */
export type FleetEvents = {
  /** A generation got a slot. */
  readonly onGeneration: (modelId: string) => void
  /** An engine failed a generation, which may be retried on another. */
  readonly onError: (error: EngineError) => void
}

export type FleetOptions = {
  readonly log: Log
  /** How long a request may wait for a slot. */
  readonly queueMs: number
  /** Tells whether other processes use an engine; by default, perhaps. */
  readonly accessTo?: (engine: Engine) => EngineAccess
  readonly events?: FleetEvents
  /** How this process and the others tell each other what they know; without it, it is alone. */
  readonly sharing?: { readonly process: string; readonly exchange: BeatExchange }
}

const CLOSE_DELAY_MS = 5_000

export type EnginesByModel = ReadonlyMap<string, readonly Engine[]>

const UNWATCHED: FleetEvents = { onGeneration: () => undefined, onError: () => undefined }

/** The engines of all models. It checks and shares them until it is disposed of. */
export function createFleet(enginesByModel: EnginesByModel, options: FleetOptions): Fleet {
  return new RunningFleet(enginesByModel, options)
}

/** A member, and what ends when it leaves. */
type Joined = { readonly member: Member; readonly leaving: AbortController }

class RunningFleet implements Fleet {
  readonly #options: FleetOptions
  readonly #events: FleetEvents
  readonly #members = new Map<Engine, Joined>()
  readonly #pools = new Map<string, ModelPool>()
  #poolsOf = new Map<Member, ModelPool[]>()
  readonly #sharing: ReturnType<typeof shareFleet>
  #watchesCaches = false

  constructor(enginesByModel: EnginesByModel, options: FleetOptions) {
    this.#options = options
    this.#events = options.events ?? UNWATCHED
    this.#sharing = shareFleet(options)
    this.update(enginesByModel)
  }

  async start(): Promise<void> {
    await this.#sharing.beat?.start()
    this.#watchesCaches = true
    for (const joined of this.#members.values()) this.#watchCache(joined)
  }

  get engines(): ReadonlySet<Engine> {
    return new Set(this.#members.keys())
  }

  async takeSlot(modelId: string, request: SlotRequest, signal: AbortSignal): Promise<Slot> {
    const pool = this.#pools.get(modelId)
    if (pool === undefined) throw new NoSuchModel()
    const taken = await pool.take(request, signal)
    this.#events.onGeneration(modelId)
    const release = (member: Member) => this.#release(member)
    return createSlot(pool, request, taken, { release, onError: this.#events.onError })
  }

  anyEngine(modelId: string): Engine | undefined {
    const nowMs = performance.now()
    const known = this.#pools.get(modelId)?.members ?? []
    return (known.find(({ health }) => health.isHealthy(nowMs)) ?? known[0])?.engine
  }

  isReady(modelId: string): boolean {
    const nowMs = performance.now()
    const known = this.#pools.get(modelId)?.members ?? []
    return known.some(({ health, isOpen }) => health.isHealthy(nowMs) && isOpen())
  }

  update(enginesByModel: EnginesByModel, weights?: ReadonlyMap<string, number>): void {
    const wanted = new Set([...enginesByModel.values()].flat())
    for (const [modelId, engines] of enginesByModel) {
      const members = engines.map((engine) => this.#join(engine, modelId))
      const pool = this.#pools.get(modelId)
      if (pool === undefined) this.#pools.set(modelId, this.#openPool(modelId, members))
      else pool.setMembers(members)
    }
    for (const [modelId, pool] of this.#pools) {
      if (enginesByModel.has(modelId)) continue
      this.#pools.delete(modelId)
      pool.setMembers([])
    }
    for (const { member } of this.#members.values())
      member.weight = weights?.get(member.engine.name) ?? 1
    this.#poolsOf = new Map()
    for (const pool of this.#pools.values())
      for (const member of pool.members)
        this.#poolsOf.set(member, [...(this.#poolsOf.get(member) ?? []), pool])
    for (const [engine, { leaving }] of this.#members) {
      if (wanted.has(engine)) continue
      leaving.abort()
      this.#closeUnused(engine)
    }
  }

  slotsInUse(): number {
    return this.#all().reduce((sum, { health }) => sum + health.running, 0)
  }

  cachesInUse(): number {
    return this.#all().filter(isReusing).length
  }

  states(): Readonly<Record<string, EngineState>> {
    const nowMs = performance.now()
    const byName = Map.groupBy(this.#all(), ({ engine }) => engine.name)
    const states = [...byName].map(([name, same]) => [name, stateOf(same, nowMs)] as const)
    return Object.fromEntries(states)
  }

  healthyEngines(): Readonly<Record<string, number>> {
    const nowMs = performance.now()
    const counts = [...this.#pools].map(([modelId, pool]) => {
      const healthy = pool.members.filter(({ health }) => health.isHealthy(nowMs))
      return [modelId, healthy.length] as const
    })
    return Object.fromEntries(counts)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { leaving } of this.#members.values()) leaving.abort()
    await this.#sharing.beat?.[Symbol.asyncDispose]()
    for (const engine of this.#members.keys()) engine.close()
  }

  #all(): Member[] {
    return [...this.#members.values()].map(({ member }) => member)
  }

  #openPool(id: string, members: readonly Member[]): ModelPool {
    const { leases, beat } = this.#sharing
    const { queueMs } = this.#options
    return createModelPool(members, { id, leases, queueMs, askSoon: () => beat?.soon() })
  }

  #join(engine: Engine, modelId: string): Member {
    const known = this.#members.get(engine)
    if (known !== undefined) return known.member
    const access = () => this.#options.accessTo?.(engine) ?? 'shared'
    const table = engine.promptCache === 'slots' ? createSlotTable(engine.slots, access) : undefined
    const isOpen = () => access() !== 'closed'
    const lease = this.#sharing.leases.leaseOf(engine.name, engine.slots, modelId)
    const member = createMember(engine, createEngineHealth(), lease, isOpen, table)
    const leaving = new AbortController()
    this.#members.set(engine, { member, leaving })
    if (this.#watchesCaches) this.#watchCache({ member, leaving })
    return member
  }

  #watchCache({ member, leaving }: Joined): void {
    const release = () => this.#release(member)
    const { table } = member
    if (table !== undefined)
      void watchCache(member, table, release, this.#options.log, leaving.signal)
  }

  #release(member: Member): void {
    member.ended()
    // An engine may serve several models, each with its own queue.
    for (const pool of this.#poolsOf.get(member) ?? []) pool.onSlotFreed()
    this.#closeUnused(member.engine)
  }

  /** Closes an engine that left, once nothing runs on it. */
  #closeUnused(engine: Engine): void {
    const joined = this.#members.get(engine)
    if (joined?.leaving.signal.aborted !== true || joined.member.health.running > 0) return
    this.#members.delete(engine)
    // Until then it may be asked to count the prompt of the last generation, for a bill.
    setTimeout(() => engine.close(), CLOSE_DELAY_MS).unref()
    const isUsed = this.#all().some(({ lease }) => lease === joined.member.lease)
    if (!isUsed) this.#sharing.leases.drop(engine.name)
  }
}

/** The leases, and the beat that shares them if there are other processes. */
function shareFleet({ sharing, log }: FleetOptions) {
  if (sharing === undefined) return { leases: createOwnLeases(), beat: undefined }
  const leases = createLeases(() => beat)
  const parts = { leases: leases.part }
  const beat: Beat = createBeat(sharing.exchange, sharing.process, parts, log)
  return { leases, beat }
}

/** An engine is a member once for each name of a model that it is sent. */
function stateOf(members: readonly Member[], nowMs: number): EngineState {
  const sum = (read: (member: Member) => number) =>
    members.reduce((total, member) => total + read(member), 0)
  return {
    healthy: members.every(({ health }) => health.isHealthy(nowMs)),
    slots: members[0]?.engine.slots ?? 0,
    slots_in_use: sum(({ health }) => health.running),
    ejections: sum(({ health }) => health.ejections),
  }
}

function isReusing({ engine, table }: Member): boolean {
  if (table === undefined) return engine.promptCache !== 'none'
  return table.isolated && table.access() === 'alone'
}
