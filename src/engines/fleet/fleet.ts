import { checkEngine } from './check-engine.ts'
import { createMember, type Member } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
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
  /** The number of engines whose cached prompts are reused at the moment. */
  cachesInUse(): number
  /** Checks the engines whose prompt caches belong to slots, until the signal aborts. */
  watchCaches(log: Log, signal: AbortSignal): void
  close(): void
}

/** What a fleet reports while it works, for metrics. */
export type FleetEvents = {
  /** A generation got a slot. */
  readonly onGeneration: (modelId: string) => void
  /** An engine failed a generation, which may be retried on another. */
  readonly onError: (error: EngineError) => void
}

const UNWATCHED: FleetEvents = { onGeneration: () => undefined, onError: () => undefined }

export type EnginesByModel = ReadonlyMap<string, readonly Engine[]>

/** A generation that crashed two engines is not sent to a third. */
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
  for (const [modelId, engines] of enginesByModel) {
    const pool = createModelPool(engines.map((engine) => findMember(engine, members, accessTo)))
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
      const states = [...byName].map(([name, same]) => [name, stateOf(same, nowMs)] as const)
      return Object.fromEntries(states)
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
): Member {
  const access = () => accessTo(engine)
  const table = engine.promptCache === 'slots' ? createSlotTable(engine.slots, access) : undefined
  const isOpen = () => access() !== 'closed'
  const member = members.get(engine) ?? createMember(engine, createEngineHealth(), isOpen, table)
  members.set(engine, member)
  return member
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
  let sent = false
  const tried = new Set([first])
  let place: Place | undefined
  let ended = false
  let used: TokenCounts | undefined
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
      const onSent = () => {
        sent = true
      }
      return current.engine.generate(generation, signal, { use: place?.use, onSent })
    },
    progressed(counts) {
      used = counts ?? used
      current.health.progressed()
      place?.progressed()
    },
    succeeded() {
      ended = true
      current.health.succeeded()
    },
    failed(error, mayMove) {
      onError(error)
      sent = false
      const isCheckDue = countFailure(current, error, request, mayMove)
      const failed = current
      const retry = mayMove && isRetryable(error) && tried.size < ENGINES_TRIED_MAX
      const other = retry ? pool.takeOther(request, tried) : undefined
      if (other === undefined) releaseShare()
      releaseMember()
      if (isCheckDue) void checkEngine(failed, () => release(failed))
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

/** Cached tokens cost an engine next to nothing. */
function costOf({ promptTokens, cachedTokens, completionTokens }: TokenCounts): number {
  return promptTokens - cachedTokens + completionTokens
}

/** Returns true if a check of the engine should decide. */
function countFailure(
  { health }: Member,
  error: EngineError,
  request: SlotRequest,
  beforeFirstPiece: boolean,
): boolean {
  if (error.kind === 'connection') health.unreachable()
  else if (isEngineFailure(error) && !isCausedBySchema(error, request, beforeFirstPiece))
    return health.failed(request.organizationId)
  return false
}

/** Bad requests and busy engines say nothing about an engine's health. */
function isEngineFailure({ kind }: EngineError): boolean {
  return ['connection', 'transport', 'status', 'protocol'].includes(kind)
}

/**
 * vLLM responds with a plain 500 to some schemas that its compiler cannot read. If that counted,
 * one client could have every engine of a model ejected.
 */
function isCausedBySchema(
  { kind }: EngineError,
  { constrained }: SlotRequest,
  beforeFirstPiece: boolean,
): boolean {
  return kind === 'status' && constrained && beforeFirstPiece
}

function isRetryable(error: EngineError): boolean {
  return isEngineFailure(error) || error.kind === 'busy' || error.kind === 'credentials'
}
