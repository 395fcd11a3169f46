import { memberOf, type Member } from './choose-engine.ts'
import { createEngineHealth } from './engine-health.ts'
import { EngineError, type Engine } from '../adapters/engine.ts'
import { createModelPool, type ModelPool, type SlotAsk } from './model-pool.ts'

/** The right to run one generation, given back when it is disposed of. */
export type Slot = Disposable & {
  /** The engine that it is on now. */
  readonly engine: Engine
  /** The engine brought something. */
  progressed(): void
  succeeded(): void
  /**
   * Tells of a fault. Before anything reached the client the generation may begin again: true
   * when the slot has moved to another engine, which happens once at most.
   */
  failed(fault: EngineError, mayMove: boolean): boolean
}

export type Fleet = {
  /** Throws NoCapacity when there is no slot within the time that a request may wait. */
  takeSlot(modelId: string, ask: SlotAsk, signal: AbortSignal): Promise<Slot>
  /** Any healthy engine of the model, for what needs no slot. */
  anyEngine(modelId: string): Engine | undefined
  readonly engines: ReadonlySet<Engine>
  slotsInUse(): number
  close(): void
}

/** Which engines serve each model. */
export type Assignments = ReadonlyMap<string, readonly Engine[]>

/** Engines a generation may be tried on: one that brought down two is not sent to a third. */
const ENGINES_TRIED_MAX = 2

export function createFleet(assignments: Assignments): Fleet {
  const members = new Map<Engine, Member>()
  const pools = new Map<string, ModelPool>()
  const poolsOf = new Map<Member, ModelPool[]>()
  for (const [modelId, engines] of assignments) {
    const pool = createModelPool(engines.map((engine) => joined(engine, members)))
    pools.set(modelId, pool)
    for (const member of pool.members) poolsOf.set(member, [...(poolsOf.get(member) ?? []), pool])
  }
  const release = (member: Member) => {
    member.health.ended()
    // An engine may serve several models; whoever waits for any of them can go on.
    for (const pool of poolsOf.get(member) ?? []) pool.freed()
  }
  return {
    async takeSlot(modelId, ask, signal) {
      const pool = pools.get(modelId)
      if (pool === undefined) throw new Error('a model of the catalog has no engines')
      return createSlot(pool, ask, await pool.take(ask, signal), release)
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

function joined(engine: Engine, members: Map<Engine, Member>): Member {
  const member = members.get(engine) ?? memberOf(engine, createEngineHealth())
  members.set(engine, member)
  return member
}

function createSlot(
  pool: ModelPool,
  ask: SlotAsk,
  first: Member,
  release: (member: Member) => void,
): Slot {
  let member: Member | undefined = first
  let current = first
  const tried = new Set([first])
  const leave = () => {
    if (member !== undefined) release(member)
    member = undefined
  }
  return {
    get engine() {
      return current.engine
    },
    progressed: () => current.health.progressed(),
    succeeded: () => current.health.succeeded(),
    failed(fault, mayMove) {
      if (isEngineFailure(fault) && !isSchemasDoing(fault, ask, mayMove)) current.health.failed()
      const again = mayMove && isWorthRetrying(fault) && tried.size < ENGINES_TRIED_MAX
      const other = again ? pool.takeOther(ask, tried) : undefined
      leave()
      if (other === undefined) return false
      tried.add(other)
      member = other
      current = other
      return true
    },
    [Symbol.dispose]: leave,
  }
}

/** What the client sent, or how busy the engine is, says nothing about its health. */
function isEngineFailure({ kind }: EngineError): boolean {
  return kind === 'transport' || kind === 'status' || kind === 'protocol'
}

/**
 * vLLM answers some schemas that its compiler cannot read with a bare 500. If that counted, one
 * client could have every engine of a model left alone.
 */
function isSchemasDoing({ kind }: EngineError, ask: SlotAsk, beforeFirstPiece: boolean): boolean {
  return kind === 'status' && ask.constrained && beforeFirstPiece
}

function isWorthRetrying(fault: EngineError): boolean {
  return isEngineFailure(fault) || fault.kind === 'busy' || fault.kind === 'credentials'
}
