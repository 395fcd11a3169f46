import { crc32 } from 'node:zlib'
import type { Engine } from '../adapters/engine.ts'
import type { EngineHealth } from './engine-health.ts'
import type { Lease } from './leases.ts'
import type { CacheKey, SlotTable } from './slot-table.ts'

/** An engine of the fleet and its health. */
export type Member = {
  readonly engine: Engine
  readonly health: EngineHealth
  /** Distributes prefixes over engines, identically on every replica. */
  readonly seed: number
  /** Its share of the conversations, relative to other engines. */
  weight: number
  /** What this process may run on it. */
  readonly lease: Lease
  /** For an engine whose prompt cache belongs to its slots. */
  readonly table?: SlotTable | undefined
  /** Whether requests may be sent to it now, whatever its health is. */
  readonly isOpen: () => boolean
  /** A generation starts on it, in a slot of the lease. */
  began(): void
  /** It ended. */
  ended(): void
}

/** How far above the mean an engine may be loaded to use its warm cache. */
const LOAD_FACTOR = 1.25

export function createMember(
  engine: Engine,
  health: EngineHealth,
  lease: Lease,
  isOpen = () => true,
  table?: SlotTable,
): Member {
  return {
    engine,
    health,
    lease,
    seed: crc32(engine.name),
    weight: 1,
    isOpen,
    table,
    began() {
      health.began()
      lease.took()
    },
    ended() {
      health.ended()
      lease.ended()
    },
  }
}

export function hasRoom({ lease, isOpen }: Member): boolean {
  return lease.hasRoom && isOpen()
}

/** Where a request should go. */
export type Choice = {
  /** The engine that most likely has its prefix in its cache, whether or not it has room. */
  readonly home: Member | undefined
  /** The best engine with room: the home, if it has. */
  readonly now: Member | undefined
}

/**
 * The engine that most likely has this prefix in its cache, by rendezvous hashing: each prefix has
 * its own order of engines, which stays stable when engines are added or removed. An engine loaded
 * far above the mean is skipped, so that a popular prefix cannot overload it.
 */
export function chooseEngine(
  members: readonly Member[],
  { prefix }: Pick<CacheKey, 'prefix'>,
  nowMs: number,
): Choice {
  const healthy = members.filter(({ health }) => health.isHealthy(nowMs))
  // If no engine is healthy, an attempt is better than a rejection.
  const candidates = healthy.length > 0 ? healthy : members
  const leased = candidates.reduce((sum, { lease }) => sum + lease.leased, 0)
  const loadMax = Math.ceil(((leased + 1) / candidates.length) * LOAD_FACTOR)
  let home: Member | undefined
  let homeScore = -1
  let spare: Member | undefined
  for (const member of candidates) {
    const score = scoreOf(member, prefix)
    if (member.lease.leased < loadMax && score > homeScore) {
      home = member
      homeScore = score
    }
    if (hasRoom(member) && (spare === undefined || load(member) < load(spare))) spare = member
  }
  return { home, now: home !== undefined && hasRoom(home) ? home : spare }
}

function load({ engine, lease }: Member): number {
  return lease.leased / engine.slots
}

/** Between 0 and 1. An engine of twice the weight has the highest score twice as often. */
function scoreOf({ seed, weight }: Member, prefix: number): number {
  const score = mix(prefix ^ seed) / 2 ** 32
  return weight === 1 ? score : score ** (1 / weight)
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
