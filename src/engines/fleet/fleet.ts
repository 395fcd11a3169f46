import { checkEngine } from './check-engine.ts'
import type { BeatPart } from './beat.ts'
import { createMember, type Member } from './choose-engine.ts'
import { classifyFault } from './classify-fault.ts'
import { describeHealth } from './describe-health.ts'
import { createEngineHealth, isFailing, type EngineHealth } from './engine-health.ts'
import { createFleetStates, type FleetStates } from './fleet-states.ts'
import { EngineError, type Engine, type Generation } from '../adapters/engine.ts'
import type { PieceBatch, TokenCounts } from '../adapters/piece.ts'
import type { EngineState } from '../../contract/management/operator-system.ts'
import type { Log } from '../../lib/log.ts'
import { createModelPool, type ModelPool, type SlotRequest } from './model-pool.ts'
import { createSlotTable, type EngineAccess, type Place } from './slot-table.ts'
import { watchCache } from './watch-cache.ts'

/** The right to run one generation. Disposing it releases the slot. */
export type Slot = Disposable & {
  /** The current engine; it changes when the slot moves. */
  readonly engine: Engine
  /** How many engines it has been on. */
  readonly attempts: number
  /** Whether the current engine has the whole request and did not fail: it has begun the prompt. */
  readonly isSent: boolean
  /** Starts the generation on the current engine. */
  generate(generation: Generation, signal: AbortSignal): Promise<AsyncIterable<PieceBatch>>
  /** The engine sent pieces, and its counts so far if it reports them. */
  progressed(counts?: TokenCounts): void
  succeeded(): void
  /**
   * Reports an error. With `mayMove`, while nothing has been sent to the client, the generation
   * can be retried: returns true if the slot has moved to another engine, at most once.
   */
  failed(error: EngineError, mayMove: boolean): boolean
}

export type Fleet = {
  /** Throws NoCapacity if no slot becomes free within the queue timeout. */
  takeSlot(modelId: string, request: SlotRequest, signal: AbortSignal): Promise<Slot>
  /** Any healthy engine of the model, for calls that need no slot. */
  anyEngine(modelId: string): Engine | undefined
  readonly engines: ReadonlySet<Engine>
  slotsInUse(): number
  /** By name of the engine, for operators. One that has several models' names is one engine. */
  states(): Readonly<Record<string, EngineState>>
  /** The number of healthy engines of each model. */
  healthyEngines(): Readonly<Record<string, number>>
  /** The states that the processes share. */
  readonly health: BeatPart
  /** The number of engines whose cached prompts are reused at the moment. */
  cachesInUse(): number
  /** Checks the engines whose prompt caches belong to slots, until the signal aborts. */
  watchCaches(log: Log, signal: AbortSignal): void
  close(): void
}

/** What a fleet reports while it works, for metrics and for the other processes. */
export type FleetEvents = {
  /** The other processes should know of a change of health soon. */
  readonly onChange?: () => void
  readonly log?: Log
  /** A generation got a slot. */
  readonly onGeneration: (modelId: string) => void
  /** An engine failed a generation, which may be retried on another. */
  readonly onError: (error: EngineError) => void
}

const UNWATCHED: FleetEvents = { onGeneration: () => undefined, onError: () => undefined }

export type EnginesByModel = ReadonlyMap<string, readonly Engine[]>

/** A generation that crashed two engines is not sent to a third; wrong settings are no crash. */
const ENGINES_TRIED_MAX = 2

/** `accessTo` tells whether other processes use an engine; by default, perhaps. */
export function createFleet(
  enginesByModel: EnginesByModel,
  accessTo: (engine: Engine) => EngineAccess = () => 'shared',
  events: FleetEvents = UNWATCHED,
): Fleet {
  const members = new Map<Engine, Member>()
  const pools = new Map<string, ModelPool>()
  const poolsOf = new Map<Member, ModelPool[]>()
  const check = (member: Member) => {
    const isEjectable = () => mayEject(member, poolsOf.get(member) ?? [])
    void checkEngine(member, () => release(member), isEjectable)
  }
  const states = createFleetStates({
    check: (id) => [...members.values()].filter((member) => idOf(member.engine) === id).map(check),
    pools: () => [...pools.values()].map((pool) => pool.members.map(({ engine }) => idOf(engine))),
    soon: events.onChange,
    log: events.log,
  })
  for (const [modelId, engines] of enginesByModel) {
    const found = engines.map((engine) => findMember(engine, members, accessTo, states))
    const pool = createModelPool(found)
    pools.set(modelId, pool)
    for (const member of pool.members) poolsOf.set(member, [...(poolsOf.get(member) ?? []), pool])
  }
  const release = (member: Member) => {
    member.health.ended()
    // An engine may serve several models, each with its own queue.
    for (const pool of poolsOf.get(member) ?? []) pool.onSlotFreed()
  }
  return {
    async takeSlot(modelId, request, signal) {
      const pool = pools.get(modelId)
      if (pool === undefined) throw new Error('a model of the catalog has no engines')
      const member = await pool.take(request, signal)
      events.onGeneration(modelId)
      return createSlot(pool, request, member, { release, onError: events.onError })
    },
    anyEngine(modelId) {
      const nowMs = performance.now()
      const known = pools.get(modelId)?.members ?? []
      return (known.find(({ health }) => health.isHealthy(nowMs)) ?? known[0])?.engine
    },
    health: states.part,
    engines: new Set(members.keys()),
    cachesInUse: () => [...members.values()].filter(isReusing).length,
    watchCaches(log, signal) {
      for (const member of members.values())
        if (member.table !== undefined)
          void watchCache(member, member.table, () => release(member), log, signal)
    },
    slotsInUse: () => [...members.values()].reduce((sum, { health }) => sum + health.running, 0),
    states() {
      const nowMs = performance.now()
      const byName = Map.groupBy(members.values(), ({ engine }) => engine.name)
      const described = [...byName].map(([name, same]) => [name, stateOf(same, nowMs)] as const)
      return Object.fromEntries(described)
    },
    healthyEngines() {
      const nowMs = performance.now()
      const counts = [...pools].map(([modelId, pool]) => {
        const healthy = pool.members.filter(({ health }) => health.isHealthy(nowMs))
        return [modelId, healthy.length] as const
      })
      return Object.fromEntries(counts)
    },
    close() {
      for (const engine of members.keys()) engine.close()
    },
  }
}

function findMember(
  engine: Engine,
  members: Map<Engine, Member>,
  accessTo: (engine: Engine) => EngineAccess,
  states: FleetStates,
): Member {
  const known = members.get(engine)
  if (known !== undefined) return known
  const access = () => accessTo(engine)
  const table = engine.promptCache === 'slots' ? createSlotTable(engine.slots, access) : undefined
  const health = createEngineHealth({ states, id: idOf(engine), slots: engine.slots })
  const isOpen = () => access() !== 'closed' && health.view.order === undefined
  const member = createMember(engine, health, isOpen, table)
  members.set(engine, member)
  return member
}

/** An engine is a member once for each model name; another server is another engine. */
function idOf({ name, server, modelName }: Engine): string {
  return `${name} ${server} ${modelName}`
}

/** An engine is a member once for each name of a model that it is sent. */
function stateOf(members: readonly Member[], nowMs: number): EngineState {
  const sum = (read: (member: Member) => number) =>
    members.reduce((total, member) => total + read(member), 0)
  return {
    healthy: members.every(({ health }) => health.isHealthy(nowMs)),
    slots: sum(({ engine }) => engine.slots),
    slots_in_use: sum(({ health }) => health.running),
    ejections: sum(({ health }) => health.ejections),
    ...describeHealth(
      members.map(({ health }) => health),
      nowMs,
    ),
  }
}

function isReusing({ engine, table }: Member): boolean {
  if (table === undefined) return engine.promptCache !== 'none'
  return table.isolated && table.access() === 'alone'
}

type SlotEvents = Pick<FleetEvents, 'onError'> & { readonly release: (member: Member) => void }

function createSlot(
  pool: ModelPool,
  request: SlotRequest,
  first: Member,
  { release, onError }: SlotEvents,
): Slot {
  let member: Member | undefined = first
  let current = first
  let [sent, ended] = [false, false]
  const tried = new Set([first])
  let place: Place | undefined
  let used: TokenCounts | undefined
  let failures = 0
  const answer = createAnswerWatch(request.organizationId)
  const releaseMember = () => {
    place?.release(ended)
    place = undefined
    if (member !== undefined) release(member)
    member = undefined
  }
  const releaseShare = () => {
    if (member !== undefined) pool.released(request, used && costOf(used))
  }
  return {
    get engine() {
      return current.engine
    },
    get attempts() {
      return tried.size
    },
    get isSent() {
      return sent
    },
    generate(generation, signal) {
      place = current.table?.take(request)
      const onSent = () => void (sent = true)
      answer.began()
      return current.engine.generate(generation, signal, { use: place?.use, onSent })
    },
    progressed(counts) {
      answer.progressed(current.health, counts)
      used = counts ?? used
      place?.progressed()
    },
    succeeded() {
      ended = true
      current.health.succeeded()
    },
    failed(error, mayMove) {
      onError(error)
      sent = false
      current.health.failed(error, request.organizationId)
      const isFree = classifyFault(error) === 'misconfigured'
      if (!isFree) failures += 1
      const retry = mayMove && isRetryable(error) && failures < ENGINES_TRIED_MAX
      const other = retry ? pool.takeOther(request, tried, isFree) : undefined
      if (other === undefined) releaseShare()
      releaseMember()
      if (other === undefined) return false
      tried.add(other)
      member = other
      current = other
      return true
    },
    [Symbol.dispose]() {
      releaseShare()
      releaseMember()
    },
  }
}

/** Reports progress, and how long an engine took to its first pieces. */
function createAnswerWatch(organizationId: string) {
  let beganMs: number | undefined
  return {
    began: () => void (beganMs = performance.now()),
    progressed(health: EngineHealth, counts: TokenCounts | undefined): void {
      health.progressed()
      if (beganMs === undefined) return
      const uncachedTokens = counts && counts.promptTokens - counts.cachedTokens
      health.answered(performance.now() - beganMs, uncachedTokens, organizationId)
      beganMs = undefined
    },
  }
}

/** Cached tokens cost an engine next to nothing. */
function costOf({ promptTokens, cachedTokens, completionTokens }: TokenCounts): number {
  return promptTokens - cachedTokens + completionTokens
}

/**
 * At most half of a pool, and at least one, is ejected for failed checks. Engines that refuse
 * connections are of no use anyway.
 */
function mayEject(member: Member, pools: readonly ModelPool[]): boolean {
  return pools.every(({ members }) => {
    const ejected = members.filter((other) => other !== member && isFailing(other.health.view))
    return ejected.length + 1 <= Math.max(1, Math.floor(members.length / 2))
  })
}

function isRetryable(error: EngineError): boolean {
  return classifyFault(error) !== undefined || error.kind === 'busy'
}
