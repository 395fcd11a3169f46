import { mergeEngineStates, mergePools } from '../../contract/engines/merge-engine-states.ts'
import type { PoolState } from '../../contract/management/operator-system.ts'
import type { Printable } from '../print.ts'
import { statesByEngine } from '../processes/read-engines.ts'
import type { ProcessSample } from './sample-process.ts'

/** What all processes together say of engines, queues and organizations. */
export type FleetSummary = {
  readonly engines: readonly Printable[]
  readonly models: readonly Printable[]
  readonly organizations: readonly Printable[]
}

/** Organizations of all models together. */
const ORGANIZATIONS_MAX = 10

export function summariseFleet(
  before: readonly ProcessSample[],
  after: readonly ProcessSample[],
): FleetSummary {
  const reports = after.flatMap(({ report }) => report ?? [])
  const pools = poolsByModel(after)
  const earlier = poolsByModel(before)
  const merged = [...pools].map(([model, each]) => ({ model, ...mergePools(each) }))
  const organizations = merged.flatMap(({ model, tokens, heaviest }) =>
    heaviest.map(({ organization_id: organization, share }) => ({
      organization,
      model,
      share_percent: round(share * 100),
      tokens: Math.round(share * tokens),
    })),
  )
  const seconds = Math.max(0.001, ((after[0]?.takenMs ?? 0) - (before[0]?.takenMs ?? 0)) / 1000)
  return {
    engines: [...statesByEngine(reports)].map(([engine, states]) => viewEngine(engine, states)),
    models: merged.map((pool) => {
      const refused = sum(pool.refusals) - sum(mergePools(earlier.get(pool.model) ?? []).refusals)
      return {
        model: pool.model,
        running: pool.running,
        waiting: pool.waiting,
        expected_wait_seconds: round(pool.expected_wait_seconds),
        // A process that was restarted counts from 0 again.
        refused_per_second: round(Math.max(0, refused) / seconds),
      }
    }),
    organizations: organizations
      .toSorted((one, other) => other.tokens - one.tokens)
      .slice(0, ORGANIZATIONS_MAX),
  }
}

function viewEngine(engine: string, states: Parameters<typeof mergeEngineStates>[0]): Printable {
  const merged = mergeEngineStates(states)
  return {
    engine,
    state: merged.state,
    since: merged.since,
    reason: merged.reason,
    running: merged.running,
    leased: merged.leased,
    found: merged.found,
    capacity: merged.capacity,
    waiting_inside: merged.waitingInside,
    first_token_ms: merged.firstTokenMs === null ? null : Math.round(merged.firstTokenMs),
    tokens_per_second: merged.tokensPerSecond === null ? null : round(merged.tokensPerSecond),
    cached_percent: merged.cachedShare === null ? null : round(merged.cachedShare * 100),
  }
}

function poolsByModel(samples: readonly ProcessSample[]): Map<string, PoolState[]> {
  const pools = new Map<string, PoolState[]>()
  for (const { report } of samples)
    for (const [model, pool] of Object.entries(report?.pools ?? {}))
      pools.set(model, [...(pools.get(model) ?? []), pool])
  return pools
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
