import { crc32 } from 'node:zlib'
import type { Engine } from '../adapters/engine.ts'
import type { EngineHealth } from './engine-health.ts'
import type { SlotTable } from './slot-table.ts'

/** An engine of the fleet and its health. */
export type Member = {
  readonly engine: Engine
  readonly health: EngineHealth
  /** Distributes prefixes over engines, identically on every replica. */
  readonly seed: number
  /** For an engine whose prompt cache belongs to its slots. */
  readonly table?: SlotTable | undefined
  /** Whether requests may be sent to it now, whatever its health is. */
  readonly isOpen: () => boolean
}

/** How far above the mean an engine may be loaded to use its warm cache. */
const LOAD_FACTOR = 1.25

export function createMember(
  engine: Engine,
  health: EngineHealth,
  isOpen = () => true,
  table?: SlotTable,
): Member {
  return { engine, health, seed: crc32(engine.name), isOpen, table }
}

export function hasRoom({ engine, health, isOpen }: Member): boolean {
  return health.running < Math.min(engine.slots, health.view.limit) && isOpen()
}

/**
 * The engine that most likely has this prefix in its cache, by rendezvous hashing: each prefix has
 * its own order of engines, which stays stable when engines are added or removed. An engine loaded
 * far above the mean is skipped, so that a popular prefix cannot overload it.
 */
export function chooseEngine(
  members: readonly Member[],
  prefix: number,
  nowMs: number,
): Member | undefined {
  const healthy = members.filter(({ health }) => health.isHealthy(nowMs))
  // If no engine is healthy, an attempt is better than a rejection.
  const candidates = healthy.length > 0 ? healthy : members
  const running = candidates.reduce((sum, { health }) => sum + health.load(nowMs), 0)
  const loadMax = Math.ceil(((running + 1) / candidates.length) * LOAD_FACTOR)
  let best: Member | undefined
  let bestScore = -1
  let spare: Member | undefined
  for (const member of candidates) {
    if (!hasRoom(member)) continue
    if (spare === undefined || load(member, nowMs) < load(spare, nowMs)) spare = member
    const score = mix(prefix ^ member.seed)
    if (member.health.load(nowMs) < loadMax && score > bestScore) {
      best = member
      bestScore = score
    }
  }
  return best ?? spare
}

function load({ engine, health }: Member, nowMs: number): number {
  return health.load(nowMs) / engine.slots
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
