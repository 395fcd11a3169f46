import { createLeases } from '../../../src/engines/fleet/capacity/leases.ts'
import { SharedLease, type HeartbeatState } from '../../../src/engines/fleet/capacity/lease.ts'
import {
  createEngineHealth,
  type EngineHealth,
} from '../../../src/engines/fleet/health/engine-health.ts'
import { createFleetStates } from '../../../src/engines/fleet/health/fleet-states.ts'
import type { Sharing } from '../../../src/engines/fleet/share-fleet.ts'

const ALONE: HeartbeatState = { isFresh: true, processes: 1, next: async () => undefined }

/** A lease of all slots of an engine. */
export function leaseAll(engine: string, slots: number): SharedLease {
  const lease = new SharedLease(
    engine,
    slots,
    () => ALONE,
    () => undefined,
  )
  lease.hold(slots)
  return lease
}

/** The health of an engine that nobody checks. */
export function createLoneHealth(): EngineHealth {
  const states = createFleetStates({ check: () => undefined, pools: () => [] })
  return createEngineHealth({ states, id: 'engine', slots: 1 })
}

/** The leases of a process that waits for nobody. */
export function createLoneLeases() {
  return createLeases(() => ALONE)
}

/** Grants a process all slots of its engines, without a store. Nothing decides their states. */
export function createLoneSharing(slots: number): Sharing {
  return {
    process: 'alone',
    async exchange(report) {
      const { leases = {} } = report as { leases?: { names?: readonly string[] } }
      const held = (leases.names ?? []).map(() => slots)
      return { processes: 1, leases: { held, more: {}, heads: {}, lowest: {} } }
    },
    placements: { find: async () => undefined, note: () => undefined },
  }
}
