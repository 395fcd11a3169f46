import type { EngineState } from '../../contract/management/operator-system.ts'
import type { Member } from './member.ts'
import { describeHealth } from './health/describe-health.ts'
import type { FleetFigures } from './figures/fleet-figures.ts'

/** What operators see of each engine, by its name. */
export function describeEngines(
  members: readonly Member[],
  figures: FleetFigures,
): Record<string, EngineState> {
  const nowMs = performance.now()
  const byName = Map.groupBy(members, ({ engine }) => engine.name)
  const states = [...byName].map(([name, same]) => {
    const state = { ...stateOf(same, nowMs), ...figures.ofEngine(name).view() }
    return [name, state] as const
  })
  return Object.fromEntries(states)
}

/** The number of healthy engines of each model. */
export function countHealthy(
  pools: ReadonlyMap<string, { readonly members: readonly Member[] }>,
): Record<string, number> {
  const nowMs = performance.now()
  const isHealthy = ({ health }: Member) => health.isHealthy(nowMs)
  const counts = [...pools].map(([id, { members }]) => [id, members.filter(isHealthy).length])
  return Object.fromEntries(counts) as Record<string, number>
}

/** An engine is a member once for each name of a model that it is sent. */
function stateOf(members: readonly Member[], nowMs: number): EngineState {
  const [first] = members
  const healths = members.map(({ health }) => health)
  return {
    healthy: healths.every((health) => health.isHealthy(nowMs)),
    slots: first?.lease.held ?? 0,
    slots_in_use: healths.reduce((sum, { running }) => sum + running, 0),
    ejections: healths.reduce((sum, { ejections }) => sum + ejections, 0),
    capacity: first?.engine.slots ?? 0,
    found: first?.lease.bound ?? 0,
    leased: first?.lease.held ?? 0,
    ...describeHealth(healths, nowMs),
  }
}
