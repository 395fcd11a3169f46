import { crc32 } from 'node:zlib'
import type { Engine } from '../adapters/engine.ts'
import type { EngineHealth } from './engine-health.ts'

/** An engine of the fleet and how it fares. */
export type Member = {
  readonly engine: Engine
  readonly health: EngineHealth
  /** Spreads prefixes over engines, the same on every replica. */
  readonly seed: number
}

/** How far above the mean an engine may be loaded for the sake of its warm cache. */
const LOAD_FACTOR = 1.25

export function memberOf(engine: Engine, health: EngineHealth): Member {
  return { engine, health, seed: crc32(engine.name) }
}

export function hasRoom({ engine, health }: Member): boolean {
  return health.running < engine.slots
}

/**
 * The engine that has most likely seen this prefix before, by rendezvous hashing: each prefix has
 * its own order of the engines, which survives when one joins or leaves. One that is loaded far
 * above the mean is passed over, so that no popular prefix drowns an engine.
 */
export function chooseEngine(
  members: readonly Member[],
  prefix: number,
  nowMs: number,
): Member | undefined {
  const healthy = members.filter(({ health }) => health.isHealthy(nowMs))
  // With nobody left to trust, trying is better than refusing.
  const candidates = healthy.length > 0 ? healthy : members
  const running = candidates.reduce((sum, { health }) => sum + health.running, 0)
  const loadMax = Math.ceil(((running + 1) / candidates.length) * LOAD_FACTOR)
  let best: Member | undefined
  let bestScore = -1
  let spare: Member | undefined
  for (const member of candidates) {
    if (!hasRoom(member)) continue
    if (spare === undefined || load(member) < load(spare)) spare = member
    const score = mix(prefix ^ member.seed)
    if (member.health.running < loadMax && score > bestScore) {
      best = member
      bestScore = score
    }
  }
  return best ?? spare
}

function load({ engine, health }: Member): number {
  return health.running / engine.slots
}

/** The finishing steps of MurmurHash3: every bit of the input moves every bit of the output. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
