import type { Log } from '../../lib/log.ts'
import type { Engine } from '../adapters/engine.ts'
import { createHeartbeat, type Heartbeat, type HeartbeatExchange } from './heartbeat.ts'
import { controlCapacity } from './capacity/control-capacity.ts'
import type { FleetStates } from './health/fleet-states.ts'
import { createLeases } from './capacity/leases.ts'
import { createPlacements, type SharedPlacements } from './placement/placements.ts'
import { createSharedPools } from './capacity/shared-pools.ts'
import { shareSummary } from './share-summary.ts'
import { watchEngines } from './capacity/watch-engines.ts'

/** How a process and the others tell each other what they know. */
export type Sharing = {
  readonly process: string
  readonly exchange: HeartbeatExchange
  readonly placements: SharedPlacements
}

/** What processes share, and the heartbeat that does. */
export function shareFleet(
  sharing: Sharing,
  states: FleetStates,
  engines: () => Iterable<Engine>,
  log: Log,
) {
  const placements = createPlacements(sharing.placements)
  const leases = createLeases(() => heartbeat)
  const byName = () => new Map([...engines()].map((engine) => [engine.name, engine]))
  const watch = watchEngines(
    () => [...byName().keys()],
    () => heartbeat.processes,
  )
  const capacity = controlCapacity(
    () => byName().values(),
    (engine) => watch.watches(engine),
    log,
  )
  const pools = createSharedPools()
  const names = () => byName().keys()
  const parts = {
    states: states.part,
    watch: watch.part,
    capacity: capacity.part,
    leases: leases.part,
    pools: pools.part,
    summary: shareSummary(leases, placements.held, names),
    // The last one, when everything is known.
    serve: { report: () => undefined, accept: () => leases.onReplied() },
  }
  const heartbeat: Heartbeat = createHeartbeat(sharing.exchange, sharing.process, parts, log)
  placements.onUrgent = () => heartbeat.hurryFigures()
  return { leases, placements, pools, heartbeat, capacity }
}
