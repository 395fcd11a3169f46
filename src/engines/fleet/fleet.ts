import { createMember, type Member } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
import { EngineError, type Engine } from '../adapters/engine.ts'
import { createModelPool, type ModelPool, type SlotRequest } from './model-pool.ts'

/** The right to run one generation. Disposing it releases the slot. */
export type Slot = Disposable & {
  /** The current engine; it changes when the slot moves. */
  readonly engine: Engine
  /** The engine sent pieces. */
  progressed(): void
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
  close(): void
}

export type EnginesByModel = ReadonlyMap<string, readonly Engine[]>

/** A generation that crashed two engines is not sent to a third. */
const ENGINES_TRIED_MAX = 2

export function createFleet(enginesByModel: EnginesByModel): Fleet {
  const members = new Map<Engine, Member>()
  const pools = new Map<string, ModelPool>()
  const poolsOf = new Map<Member, ModelPool[]>()
  for (const [modelId, engines] of enginesByModel) {
    const pool = createModelPool(engines.map((engine) => findMember(engine, members)))
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
      return createSlot(pool, request, await pool.take(request, signal), release)
    },
    anyEngine(modelId) {
      const nowMs = performance.now()
      const known = pools.get(modelId)?.members ?? []
      return (known.find(({ health }) => health.isHealthy(nowMs)) ?? known[0])?.engine
    },
    engines: new Set(members.keys()),
    slotsInUse: () => [...members.values()].reduce((sum, { health }) => sum + health.running, 0),
    close() {
      for (const engine of members.keys()) engine.close()
    },
  }
}

function findMember(engine: Engine, members: Map<Engine, Member>): Member {
  const member = members.get(engine) ?? createMember(engine, createEngineHealth())
  members.set(engine, member)
  return member
}

function createSlot(
  pool: ModelPool,
  request: SlotRequest,
  first: Member,
  release: (member: Member) => void,
): Slot {
  let member: Member | undefined = first
  let current = first
  const tried = new Set([first])
  const releaseMember = () => {
    if (member !== undefined) release(member)
    member = undefined
  }
  return {
    get engine() {
      return current.engine
    },
    progressed: () => current.health.progressed(),
    succeeded: () => current.health.succeeded(),
    failed(error, mayMove) {
      if (isEngineFailure(error) && !isCausedBySchema(error, request, mayMove))
        current.health.failed()
      const retry = mayMove && isRetryable(error) && tried.size < ENGINES_TRIED_MAX
      const other = retry ? pool.takeOther(request, tried) : undefined
      releaseMember()
      if (other === undefined) return false
      tried.add(other)
      member = other
      current = other
      return true
    },
    [Symbol.dispose]: releaseMember,
  }
}

/** Bad requests and busy engines say nothing about an engine's health. */
function isEngineFailure({ kind }: EngineError): boolean {
  return kind === 'transport' || kind === 'status' || kind === 'protocol'
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
