import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PARTITIONS } from '../../store/valkey/keys.ts'
import { partitionsOfBusiest } from './spread-partitions.ts'
import { sizeDeployment, type Deployment } from './size-deployment.ts'
import { UNIT_COSTS, type UnitCosts } from './unit-costs.ts'
import { assumeWorkload, type Given } from './workload.ts'

/** Round figures, so that results can be calculated by hand. */
const ROUND: UnitCosts = {
  ...UNIT_COSTS,
  requestCpu: { value: 200 },
  promptCpu: { value: 10 },
  eventCpu: { value: 20 },
  streamMemory: { value: 32 },
  processMemory: { value: 200 },
  admissionCpu: { value: 60 },
  settlementCpu: { value: 40 },
  checkpointCallCpu: { value: 10 },
  checkpointCpu: { value: 2 },
  heartbeatCpu: { value: 100 },
  summaryEngineCpu: { value: 10 },
  postedPerSecond: { value: 10_000 },
  postingCpu: { value: 50 },
  lookupCpu: { value: 100 },
  recordDisk: { value: 500 },
  rollUpDisk: { value: 100 },
  organizationDisk: { value: 1_000 },
  keyDisk: { value: 500 },
  clientEventBytes: { value: 300 },
  clientRequestBytes: { value: 1_000 },
  organizationMemory: { value: 500 },
  limitedKeyMemory: { value: 0 },
  openMemory: { value: 1_000 },
  waitingMemory: { value: 1_000 },
}

const size = (given: Given) => sizeDeployment(assumeWorkload(given), ROUND)

function near(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= expected / 1e9, `${actual} instead of ${expected}`)
}

test('processes of the api are what the processor time needs at 60 %', () => {
  // 100,000 events of 20 µs, and 1,000 requests of 200 µs and 4 KiB of 10 µs: 2.24 s each second.
  const { api } = size({ streams: 2_000, tokensPerSecond: 50, requestsPerSecond: 1_000 })
  assert.equal(api.byCpu, Math.ceil(2.24 / 0.6))
  assert.deepEqual([api.processes, api.machines, api.engines], [4, 1, 8])
})

test('processes of the api are what memory needs if streams are slow', () => {
  // 100,000 streams of 32 KiB are 3,125 MiB, bodies 2 × 200 × 4 KiB 1.5625 MiB; of 2,048 MiB a
  // process may use 1,228.8, of which 200 are its own.
  const { api } = size({ streams: 100_000, tokensPerSecond: 0.1, requestsPerSecond: 200 })
  assert.equal(api.byMemory, Math.ceil(3_126.5625 / 1_028.8))
  assert.equal(api.processes, 4)
  near(api.mibEach, 200 + 3_126.5625 / 4)
})

test('shards of Valkey are what requests and checkpoints need', () => {
  // 20,000 requests of 100 µs, and 64,000 streams with a checkpoint of 2 µs a second: 2.128 s need
  // shards that have at most 28.2 % of the 256 partitions, which are 72. Of 4 the busiest has 66.
  const given = { streams: 64_000, tokensPerSecond: 10, requestsPerSecond: 20_000 }
  const work = assumeWorkload({ ...given, outageMinutes: 1 })
  const { valkey } = sizeDeployment(work, { ...ROUND, checkpointCallCpu: { value: 0 } })
  near(valkey.cores, 2.128)
  assert.deepEqual([valkey.byCpu, valkey.byMemory, valkey.shards], [4, 1, 4])
  assert.deepEqual([valkey.ifBalanced, valkey.servers], [4, 8])
})

test('no shard is busier or fuller than asked, while partitions can be divided', () => {
  for (let streams = 1_000; streams < 1_500_000; streams *= 1.1)
    for (const outageMinutes of [1, 20, 60]) {
      const given = { streams, tokensPerSecond: 50, outageMinutes }
      const { valkey } = sizeDeployment(assumeWorkload(given))
      const share = partitionsOfBusiest(valkey.shards) / PARTITIONS
      assert.ok(
        valkey.cores * share <= 0.6,
        `${streams} streams: ${valkey.cores * share} of a core`,
      )
      assert.ok(valkey.gib * share <= 0.6 * 8, `${streams} streams: ${valkey.gib * share} GiB`)
    }
})

test('streams of one partition that are due in the same tick share a call', () => {
  // 10 ticks a second with all streams of one organization: 10 calls for each of 2 processes.
  const one = size({ streams: 3_200, tokensPerSecond: 32, requestsPerSecond: 1, organizations: 1 })
  near(one.valkey.callsPerSecond, 2 + 10 * one.api.processes)
  near(one.valkey.cores, (100 + 10 * 10 * one.api.processes + 2 * 3_200) / 1_000_000)
  // Each of 2 processes has 2 of its 20 streams due in a tick; of 2 partitions they use 1.5.
  const two = size({ streams: 40, tokensPerSecond: 1, requestsPerSecond: 1, organizations: 2 })
  near(two.valkey.callsPerSecond, 2 + 2 * 10 * 1.5)
})

test('the memory of Valkey holds the records of an outage', () => {
  // 100 × 3,600 records and 1,000 open requests of 1,000 B, 100 organizations of 500 B.
  const given = { streams: 1_000, tokensPerSecond: 10, requestsPerSecond: 100, organizations: 100 }
  const { valkey } = size({ ...given, keys: 100, outageMinutes: 60 })
  near(valkey.gib, (360_000_000 + 1_000_000 + 50_000) / 2 ** 30)
})

test('PostgreSQL has the records of the retention, their sums, and the tenants', () => {
  const given = { streams: 1_000, tokensPerSecond: 10, requestsPerSecond: 100, averageLoad: 50 }
  const { postgres } = size({
    ...given,
    organizations: 1_000,
    keys: 2_000,
    activeKeys: 1_125,
    retentionDays: 10,
  })
  const records = 100 * 86_400 * 0.5 * 500
  const hourly = 1_125 * 24 * 100
  const daily = 1_125 * 100
  near(postgres.gibPerDay * 2 ** 30, records + hourly + daily)
  const tenants = 1_000 * 1_000 + 2_000 * 500
  near(postgres.gib * 2 ** 30, records * 10 + hourly * 90 + daily * 1_096 + tenants)
  // Two processes read each of 1,125 callers every 1,125 s.
  near(postgres.lookupsPerSecond, 2)
  near(postgres.cores, (100 * 50 + 2 * 100) / 1_000_000)
  assert.equal(postgres.connections, 2 * 10 + 2 * 7)
})

test('heartbeats cost what the requests ask for, and a summary what the engines are', () => {
  // 40 processes at their interval, 1,000 requests, and 20 summaries of 100 engines a second.
  const { api, ceilings } = size({
    streams: 25_600,
    tokensPerSecond: 46,
    requestsPerSecond: 1_000,
  })
  assert.deepEqual([api.processes, api.engines], [40, 100])
  const percentOf = (name: string) => ceilings.find((one) => one.name === name)?.percent ?? 0
  const micros = (40 * 4 + 1_000) * 100 + 20 * 100 * 10
  near(percentOf('heartbeats of the fleet (one shard)'), micros / 10_000 / 0.6)
  near(percentOf('heartbeats while requests wait'), micros / 10_000)
  assert.deepEqual(
    ceilings.map(({ percent }) => percent),
    ceilings.map(({ percent }) => percent).toSorted((one, other) => other - one),
  )
})

test('bytes between the parts are those of tokens and of requests', () => {
  const { traffic } = size({ streams: 100, tokensPerSecond: 10, requestsPerSecond: 5 })
  assert.equal(traffic.toClients, 100 * 10 * 300 + 5 * 1_000)
  assert.equal(traffic.toEngines, 5 * 4_096)
})

test('one stream gets the minimum', () => {
  const { api, valkey, workers } = sizeDeployment(
    assumeWorkload({ streams: 1, tokensPerSecond: 1 }),
  )
  assert.deepEqual([api.processes, api.machines, api.engines], [2, 1, 1])
  assert.deepEqual([valkey.shards, valkey.ifBalanced, workers], [1, 1, 2])
})

test('more streams, tokens, requests, organizations or bytes never need less', () => {
  const counts = ({ api, valkey, postgres, workers }: Deployment) => ({
    processes: api.processes,
    machines: api.machines,
    engines: api.engines,
    shards: valkey.shards,
    ifBalanced: valkey.ifBalanced,
    valkeyGib: valkey.gib,
    valkeyCores: valkey.cores,
    connections: postgres.connections,
    gib: postgres.gib,
    postgresCores: postgres.cores,
    workers,
  })
  const base = { streams: 300, tokensPerSecond: 3, requestsPerSecond: 20, organizations: 10 }
  const grown = { ...base, promptBytes: 100, keys: 40, activeKeys: 40, retentionDays: 1 }
  for (const key of Object.keys(grown) as (keyof typeof grown)[]) {
    let before = counts(sizeDeployment(assumeWorkload(grown)))
    for (let factor = 1; factor < 100_000; factor *= 1.3) {
      const after = counts(sizeDeployment(assumeWorkload({ ...grown, [key]: grown[key] * factor })))
      for (const name of Object.keys(after) as (keyof typeof after)[])
        assert.ok(after[name] >= before[name] * (1 - 1e-9), `${key} × ${factor}: fewer ${name}`)
      before = after
    }
  }
})
