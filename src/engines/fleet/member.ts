import { crc32 } from 'node:zlib'
import type { Engine } from '../adapters/engine.ts'
import type { SlotTable } from './caches/slot-table.ts'
import type { Lease } from './capacity/lease.ts'
import type { EngineHealth } from './health/engine-health.ts'

/** An engine of the fleet and its health. */
export type Member = {
  readonly engine: Engine
  readonly health: EngineHealth
  /** Distributes conversations over engines, identically on every replica. */
  readonly seed: number
  /** Its share of the conversations, relative to other engines. */
  weight: number
  /** What this process may run on it, and what all of them run. */
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

export function hasRoom({ health, lease, isOpen }: Member): boolean {
  return lease.hasRoom && health.running < health.view.limit && isOpen()
}

/** Whether prompts that it has cached are reused. */
export function isReusing({ engine, table }: Member): boolean {
  return table === undefined ? engine.promptCache === 'salted' : table.isReusing
}

/** An engine is a member once for each model name; another server is another engine. */
export function idOf({ engine: { name, server, modelName } }: Pick<Member, 'engine'>): string {
  return `${name} ${server} ${modelName}`
}
