import type { EngineState, PoolState } from '../../contract/management/operator-system.ts'
import type { Log } from '../../lib/log.ts'
import type { Engine } from '../adapters/engine.ts'
import { chooseEngine, type Eligibility } from './choose-engine.ts'
import { checkEngine } from './health/check-engine.ts'
import { countHealthy, describeEngines } from './describe-engines.ts'
import { describeMembers } from './describe-members.ts'
import { createEngineHealth } from './health/engine-health.ts'
import { createFleetStates, type FleetStates } from './health/fleet-states.ts'
import { createFleetFigures } from './figures/fleet-figures.ts'
import { UNWATCHED, type FleetEvents } from './fleet-events.ts'
import { createMember, idOf, isReusing, type Member } from './member.ts'
import { createModelPool, type ModelPool, type SlotRequest } from './model-pool.ts'
import type { ConversationKey } from './placement/placements.ts'
import { NoCapacity } from './queue/no-capacity.ts'
import { NoSuchModel } from './queue/no-such-model.ts'
import { shareFleet, type Sharing } from './share-fleet.ts'
import { createSlot, type Slot } from './slot.ts'
import { createSlotTable } from './caches/slot-table.ts'
import { watchCache } from './caches/watch-cache.ts'

export type Fleet = AsyncDisposable & {
  /** Throws NoCapacity if no slot becomes free within the queue timeout. */
  takeSlot(modelId: string, request: SlotRequest, signal: AbortSignal): Promise<Slot>
  /**
   * The conversation, with where its turn before ran if that was in another process and not at the
   * first choice of its hash. Begin it early: it may take a call of Valkey.
   */
  locate<Key extends ConversationKey>(modelId: string, conversation: Key): Key | Promise<Key>
  /** The engine that a conversation would be sent to, for calls that need no slot. */
  findEngine(modelId: string, conversation: ConversationKey & Eligibility): Engine | undefined
  /** Whether requests can be sent to an engine of the model now. */
  isReady(modelId: string): boolean
  /**
   * Replaces the engines. Those that left finish what they run, and are closed. `weights` are by
   * name of the engine; the default is 1.
   */
  update(enginesByModel: EnginesByModel, weights?: ReadonlyMap<string, number>): void
  /** Tells the other processes what the engine has learned that it can do. */
  learned(engine: Engine): void
  readonly engines: ReadonlySet<Engine>
  slotsInUse(): number
  /** By name of the engine, for operators. One that has several models' names is one engine. */
  states(): Readonly<Record<string, EngineState>>
  /** The queue of each model, for operators. */
  pools(): Readonly<Record<string, PoolState>>
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

export type FleetOptions = {
  readonly log: Log
  /** How long a request may wait for a slot. */
  readonly queueMs: number
  readonly events?: FleetEvents
  /** Called in every process when an engine serves again. It may have been restarted. */
  readonly onReturned?: (engine: Engine) => void
  /** Before that, in the process that found out. */
  readonly onReturning?: (engine: Engine) => Promise<void>
  /** How this process and the others tell each other what they know. */
  readonly sharing: Sharing
}

export type EnginesByModel = ReadonlyMap<string, readonly Engine[]>

const CLOSE_DELAY_MS = 5_000

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
  readonly #figures = createFleetFigures()
  readonly #states: FleetStates
  readonly #sharing: ReturnType<typeof shareFleet>
  readonly #stopping = new AbortController()
  #watchesCaches = false

  constructor(enginesByModel: EnginesByModel, options: FleetOptions) {
    this.#options = options
    this.#events = options.events ?? UNWATCHED
    this.#states = createFleetStates({
      check: (id) => this.#check(id),
      onReturned: (id) => this.#returned(id),
      pools: () => [...this.#pools.values()].map(({ members }) => members.map(idOf)),
      soon: () => this.#sharing.heartbeat.soon(),
      log: options.log,
    })
    this.#sharing = shareFleet(options.sharing, this.#states, () => this.engines, options.log)
    this.update(enginesByModel)
  }

  async start(): Promise<void> {
    await this.#sharing.heartbeat.start()
    this.#watchesCaches = true
    for (const joined of this.#members.values()) this.#watchCache(joined)
    void this.#sharing.capacity.run(this.#stopping.signal)
  }

  get engines(): ReadonlySet<Engine> {
    return new Set(this.#members.keys())
  }

  async takeSlot(modelId: string, request: SlotRequest, signal: AbortSignal): Promise<Slot> {
    const pool = this.#pools.get(modelId)
    if (pool === undefined) throw new NoSuchModel()
    const figures = this.#figures.ofPool(modelId)
    const taken = await pool.take(request, signal).catch((error: unknown) => {
      if (error instanceof NoCapacity) figures.refused(error.reason)
      throw error
    })
    this.#events.onGeneration(modelId)
    figures.began()
    return createSlot(pool, request, taken, {
      release: (member) => this.#release(member),
      released(used) {
        pool.released(request, taken.cost, used)
        figures.ended(request.organizationId, used && used.promptTokens + used.completionTokens)
      },
      timerOf: ({ engine }) => this.#figures.ofEngine(engine.name).start(),
      onError: this.#events.onError,
      onExcess: (engine, tokens) => this.#exceeded(engine, tokens),
    })
  }

  locate<Key extends ConversationKey>(modelId: string, conversation: Key): Key | Promise<Key> {
    const engines = this.#pools.get(modelId)?.members.length ?? 0
    return engines > 1 ? this.#sharing.placements.locate(conversation) : conversation
  }

  findEngine(modelId: string, conversation: ConversationKey & Eligibility): Engine | undefined {
    const known = this.#pools.get(modelId)?.members ?? []
    const nowMs = performance.now()
    return chooseEngine(known, conversation, nowMs, this.#sharing.placements).home?.engine
  }

  isReady(modelId: string): boolean {
    const nowMs = performance.now()
    const known = this.#pools.get(modelId)?.members ?? []
    return known.some(({ health, isOpen }) => health.isHealthy(nowMs) && isOpen())
  }

  update(enginesByModel: EnginesByModel, weights?: ReadonlyMap<string, number>): void {
    const wanted = new Set([...enginesByModel.values()].flat())
    for (const [modelId, engines] of enginesByModel) {
      const members = engines.map((engine) => this.#join(engine))
      const pool = this.#pools.get(modelId)
      if (pool === undefined) this.#pools.set(modelId, this.#openPool(modelId, members))
      else pool.setMembers(members)
    }
    for (const [modelId, pool] of this.#pools) {
      if (enginesByModel.has(modelId)) continue
      this.#pools.delete(modelId)
      pool.setMembers([])
      this.#sharing.leases.dropPool(modelId)
      this.#sharing.pools.drop(modelId)
      this.#figures.dropPool(modelId)
    }
    for (const member of this.#all()) member.weight = weights?.get(member.engine.name) ?? 1
    this.#poolsOf = new Map()
    for (const pool of this.#pools.values())
      for (const member of pool.members)
        this.#poolsOf.set(member, [...(this.#poolsOf.get(member) ?? []), pool])
    this.#sharing.leases.describe(describeMembers(this.#pools))
    for (const [engine, { leaving }] of this.#members) {
      if (wanted.has(engine)) continue
      leaving.abort()
      this.#closeUnused(engine)
    }
  }

  learned({ name }: Engine): void {
    this.#sharing.leases.describeAgain(name)
  }

  slotsInUse(): number {
    return this.#all().reduce((sum, { health }) => sum + health.running, 0)
  }

  cachesInUse(): number {
    return this.#all().filter(isReusing).length
  }

  states(): Readonly<Record<string, EngineState>> {
    return describeEngines(this.#all(), this.#figures)
  }

  pools(): Readonly<Record<string, PoolState>> {
    const view = ([id, pool]: [string, ModelPool]) => [id, this.#figures.viewPool(id, pool)]
    return Object.fromEntries([...this.#pools].map(view))
  }

  healthyEngines(): Readonly<Record<string, number>> {
    return countHealthy(this.#pools)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    for (const { leaving } of this.#members.values()) leaving.abort()
    await this.#sharing.heartbeat[Symbol.asyncDispose]()
    for (const engine of this.#members.keys()) engine.close()
  }

  #exceeded(engine: string, tokens: number): void {
    this.#events.onExcess(engine, tokens)
    if (this.#figures.ofEngine(engine).exceeded(tokens).isNew)
      this.#options.log.error({ engine, count: tokens }, 'engine counted too many tokens')
  }

  #all(): Member[] {
    return [...this.#members.values()].map(({ member }) => member)
  }

  #openPool(id: string, members: readonly Member[]): ModelPool {
    const { queueMs } = this.#options
    const askSoon = () => this.#sharing.heartbeat.hurry()
    return createModelPool(members, { ...this.#sharing, id, queueMs, askSoon })
  }

  #join(engine: Engine): Member {
    const known = this.#members.get(engine)
    if (known !== undefined) return known.member
    const table = engine.promptCache === 'slots' ? createSlotTable(engine.slots) : undefined
    const health = createEngineHealth({
      states: this.#states,
      id: idOf({ engine }),
      slots: engine.slots,
      workers: engine.workers,
    })
    const isOpen = () => health.view.order === undefined
    const lease = this.#sharing.leases.leaseOf(engine.name, engine.slots)
    const member = createMember(engine, health, lease, isOpen, table)
    const leaving = new AbortController()
    this.#members.set(engine, { member, leaving })
    if (this.#watchesCaches) this.#watchCache({ member, leaving })
    return member
  }

  #watchCache({ member, leaving }: Joined): void {
    const release = () => this.#release(member)
    if (member.table !== undefined)
      void watchCache(member, member.table, release, this.#options.log, leaving.signal)
  }

  /** Checks an engine, under each name of its model. */
  #check(id: string): void {
    for (const member of this.#all()) {
      if (idOf(member) !== id) continue
      void checkEngine(member, {
        release: () => this.#release(member),
        onReturning: this.#options.onReturning,
      })
    }
  }

  #returned(id: string): void {
    for (const { engine } of this.#all())
      if (idOf({ engine }) === id) this.#options.onReturned?.(engine)
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
    // It may have come back meanwhile.
    const [id, others, { lease: own }] = [idOf({ engine }), this.#all(), joined.member]
    if (others.every((other) => idOf(other) !== id)) this.#states.drop(id)
    if (others.some(({ lease }) => lease === own)) return
    this.#sharing.leases.drop(engine.name)
    this.#figures.dropEngine(engine.name)
  }
}
