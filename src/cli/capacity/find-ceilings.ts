import { PARTITIONS } from '../../store/valkey/keys.ts'
import { partitionsOfBusiest } from './spread-partitions.ts'
import type { Deployment, ValkeyLoad } from './size-deployment.ts'
import type { UnitCosts } from './unit-costs.ts'
import type { Workload } from './workload.ts'

/** Something that there is once, or that one server has to do alone. */
export type Ceiling = {
  readonly name: string
  /** Percent of what it may be used: above 100 the deployment does not work as it is. */
  readonly percent: number
  readonly limit: string
}

const SECOND_US = 1_000_000

/** How full each of them is, the fullest first. */
export function findCeilings(
  work: Workload,
  load: ValkeyLoad,
  valkey: Deployment['valkey'],
  postgres: Deployment['postgres'],
  { admissionCpu, settlementCpu }: UnitCosts,
): Ceiling[] {
  const busy = work.busy / 100
  const core = `${work.busy} % of a core`
  const largest = (work.requestsPerSecond * work.largestOrganization) / 100
  const largestMicros = largest * (admissionCpu.value + settlementCpu.value)
  const busiest = (valkey.cores * partitionsOfBusiest(valkey.shards)) / PARTITIONS
  const ceilings = [
    ['heartbeats of the fleet (one shard)', load.heartbeatMicros / SECOND_US / busy, core],
    ['heartbeats while requests wait', load.urgentHeartbeatMicros / SECOND_US, 'a core'],
    ['largest organization (one shard)', largestMicros / SECOND_US / busy, core],
    ['busiest shard', busiest / busy, core],
    [
      'PostgreSQL, processor',
      postgres.cores / (work.postgresCores * busy),
      `${work.busy} % of ${work.postgresCores} cores`,
    ],
    [
      'PostgreSQL, connections',
      postgres.connections / work.postgresConnections,
      `${work.postgresConnections}`,
    ],
    ['PostgreSQL, disk', postgres.gib / work.postgresGib, `${work.postgresGib} GiB`],
  ] as const
  return ceilings
    .map(([name, share, limit]) => ({ name, percent: share * 100, limit }))
    .toSorted((one, other) => other.percent - one.percent)
}
