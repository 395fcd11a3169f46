import { PARTITIONS } from '../../store/valkey/keys.ts'
import { findCeilings, type Ceiling } from './find-ceilings.ts'
import { balancedShardsFor, shardsFor } from './spread-partitions.ts'
import { FIXED, UNIT_COSTS, type UnitCosts } from './unit-costs.ts'
import type { Workload } from './workload.ts'

/** So that one of them can restart or fail. */
const PROCESSES_MIN = 2
const SECOND_MS = 1_000
const SECOND_US = 1_000_000
const DAY_SECONDS = 86_400
const HOURS_PER_DAY = 24
const KIB = 2 ** 10
const MIB = 2 ** 20
const GIB = 2 ** 30

export type Deployment = {
  readonly api: {
    readonly processes: number
    readonly byCpu: number
    readonly byMemory: number
    readonly machines: number
    readonly mibEach: number
    readonly engines: number
  }
  readonly valkey: {
    readonly shards: number
    readonly byCpu: number
    readonly byMemory: number
    /** If slots are moved so that each shard has as many partitions as the others, or one less. */
    readonly ifBalanced: number
    readonly servers: number
    /** Of all shards together. */
    readonly cores: number
    readonly gib: number
    readonly callsPerSecond: number
  }
  readonly postgres: {
    readonly gibPerDay: number
    readonly gib: number
    readonly cores: number
    readonly connections: number
    readonly lookupsPerSecond: number
  }
  readonly workers: number
  readonly traffic: Traffic
  /** What cannot be raised by more processes or shards, the fullest first. */
  readonly ceilings: readonly Ceiling[]
}

/** Bytes per second. */
export type Traffic = {
  readonly fromClients: number
  readonly toClients: number
  readonly toEngines: number
  readonly fromEngines: number
  readonly apiAndValkey: number
  readonly valkeyToWorkers: number
  readonly writeAheadLog: number
}

/** What Valkey is asked for, per second. */
export type ValkeyLoad = {
  readonly checkpoints: number
  readonly checkpointCalls: number
  /** Processor time in microseconds, without heartbeats. */
  readonly micros: number
  /** Heartbeats at their usual interval, and while requests wait. */
  /** Heartbeats per second, and their processor time. */
  readonly heartbeats: number
  readonly heartbeatMicros: number
  readonly urgentHeartbeatMicros: number
}

/** Calculates what a workload needs. Nothing is measured here: see `unit-costs.ts`. */
export function sizeDeployment(work: Workload, costs: UnitCosts = UNIT_COSTS): Deployment {
  const api = sizeApi(work, costs)
  const load = loadValkey(work, api, costs)
  const valkey = sizeValkey(work, load, costs)
  const workers = minimum(work.requestsPerSecond / (costs.postedPerSecond.value * busy(work)))
  const postgres = sizePostgres(work, api.processes, workers, costs)
  return {
    api,
    valkey,
    postgres,
    workers,
    traffic: sumTraffic(work, api, load, costs),
    ceilings: findCeilings(work, load, valkey, postgres, costs),
  }
}

function sizeApi(work: Workload, costs: UnitCosts): Deployment['api'] {
  const { requestCpu, eventCpu, promptCpu, streamMemory, processMemory } = costs
  const { streams, requestsPerSecond, promptBytes } = work
  const events = streams * work.tokensPerSecond
  const micros =
    requestsPerSecond * (requestCpu.value + promptCpu.value * (promptBytes / KIB)) +
    events * eventCpu.value
  const byCpu = Math.ceil(micros / (SECOND_US * busy(work)))
  // Text that is not Latin takes two bytes a character.
  const bodies = 2 * requestsPerSecond * promptBytes * work.firstTokenSeconds
  const mib = (streams * streamMemory.value) / KIB + bodies / MIB
  const room = work.processMib * busy(work) - processMemory.value
  const byMemory = Math.ceil(mib / Math.max(1, room))
  const processes = Math.max(PROCESSES_MIN, byCpu, byMemory)
  return {
    processes,
    byCpu,
    byMemory,
    machines: Math.ceil(processes / work.coresPerMachine),
    mibEach: processMemory.value + mib / processes,
    engines: Math.ceil(streams / work.slotsPerEngine),
  }
}

function loadValkey(
  work: Workload,
  { processes, engines }: Deployment['api'],
  costs: UnitCosts,
): ValkeyLoad {
  const { admissionCpu, settlementCpu, checkpointCallCpu, checkpointCpu } = costs
  const { heartbeatCpu, summaryEngineCpu } = costs
  const { checkpointTokens, checkpointSeconds, checkpointTicksPerSecond: ticks } = FIXED
  const rate = Math.min(
    work.tokensPerSecond,
    Math.max(work.tokensPerSecond / checkpointTokens, 1 / checkpointSeconds),
  )
  const checkpoints = work.streams * rate
  // The streams of a process that are due in a tick share one call for each partition.
  const partitions = Math.max(1, Math.min(PARTITIONS, work.organizations))
  const due = checkpoints / processes / ticks
  const touched = partitions * (1 - (1 - 1 / partitions) ** due)
  const checkpointCalls = Math.min(checkpoints, processes * ticks * touched)
  const micros =
    work.requestsPerSecond * (admissionCpu.value + settlementCpu.value) +
    checkpointCalls * checkpointCallCpu.value +
    checkpoints * checkpointCpu.value
  const summariesPerSecond = SECOND_MS / Math.min(FIXED.madeMsPerEngine * engines, FIXED.madeMsMax)
  const summaryMicros = summariesPerSecond * engines * summaryEngineCpu.value
  const heartbeats = countHeartbeats(work, processes)
  const urgent = Math.max(heartbeats, processes * FIXED.urgentHeartbeatsPerSecond)
  return {
    checkpoints,
    checkpointCalls,
    micros,
    heartbeats,
    heartbeatMicros: heartbeats * heartbeatCpu.value + summaryMicros,
    urgentHeartbeatMicros: urgent * heartbeatCpu.value + summaryMicros,
  }
}

/** One at the interval, and one for each request: requests of the gap between two share it. */
function countHeartbeats({ requestsPerSecond }: Workload, processes: number): number {
  const gapMs = Math.max(1, processes / FIXED.processesPerGapMs)
  const asking = Math.min(requestsPerSecond, (processes * SECOND_MS) / gapMs)
  return processes * FIXED.heartbeatsPerSecond + asking
}

function sizeValkey(work: Workload, load: ValkeyLoad, costs: UnitCosts): Deployment['valkey'] {
  const { organizationMemory, limitedKeyMemory, openMemory, waitingMemory } = costs
  const bytes =
    work.organizations * organizationMemory.value +
    work.activeKeys * limitedKeyMemory.value +
    work.streams * openMemory.value +
    work.requestsPerSecond * work.outageMinutes * 60 * waitingMemory.value
  const gib = bytes / GIB
  const cores = load.micros / SECOND_US
  const cpuShare = busy(work) / cores
  const memoryShare = (work.shardGib * busy(work)) / gib
  const byCpu = shardsFor(cpuShare)
  const byMemory = shardsFor(memoryShare)
  const shards = Math.max(byCpu, byMemory)
  return {
    shards,
    byCpu,
    byMemory,
    ifBalanced: balancedShardsFor(Math.min(cpuShare, memoryShare)),
    servers: shards * (1 + work.replicasPerShard),
    cores,
    gib,
    callsPerSecond: 2 * work.requestsPerSecond + load.checkpointCalls,
  }
}

function sizePostgres(
  work: Workload,
  processes: number,
  workers: number,
  costs: UnitCosts,
): Deployment['postgres'] {
  const { recordDisk, rollUpDisk, organizationDisk, keyDisk, postingCpu, lookupCpu } = costs
  const perDay = work.requestsPerSecond * DAY_SECONDS * (work.averageLoad / 100)
  const records = perDay * recordDisk.value
  const hourly = work.activeKeys * HOURS_PER_DAY * rollUpDisk.value
  const daily = work.activeKeys * rollUpDisk.value
  const bytes =
    records * work.retentionDays +
    hourly * FIXED.hourlyDays +
    daily * FIXED.dailyDays +
    work.organizations * organizationDisk.value +
    work.keys * keyDisk.value
  const lookupsPerSecond = countLookups(work, processes)
  const { requestsPerSecond: posted } = work
  return {
    gibPerDay: (records + hourly + daily) / GIB,
    gib: bytes / GIB,
    cores: (posted * postingCpu.value + lookupsPerSecond * lookupCpu.value) / SECOND_US,
    connections: processes * work.apiConnections + workers * FIXED.workerConnections,
    lookupsPerSecond,
  }
}

/** Every process reads each active caller now and then, and those that its cache cannot hold. */
function countLookups({ activeKeys, requestsPerSecond }: Workload, processes: number): number {
  const { cachedCallers, callerSeconds } = FIXED
  const refreshed = (processes * Math.min(activeKeys, cachedCallers)) / callerSeconds
  const missed = requestsPerSecond * Math.max(0, 1 - cachedCallers / Math.max(1, activeKeys))
  return Math.min(requestsPerSecond, refreshed + missed)
}

function sumTraffic(
  work: Workload,
  { processes, engines }: Deployment['api'],
  load: ValkeyLoad,
  costs: UnitCosts,
): Traffic {
  const { clientEventBytes, clientRequestBytes, engineEventBytes, walBytes } = costs
  const { valkeyRequestBytes, checkpointBytes, heartbeatBytes, summaryEngineBytes } = costs
  const { requestsPerSecond: requests } = work
  const events = work.streams * work.tokensPerSecond
  const summaryMs = Math.min(FIXED.summaryMsPerProcess * processes, FIXED.summaryMsMax)
  const summaries =
    (processes * SECOND_MS) / Math.max(summaryMs, SECOND_MS / FIXED.heartbeatsPerSecond)
  return {
    fromClients: requests * work.promptBytes,
    toClients: events * clientEventBytes.value + requests * clientRequestBytes.value,
    toEngines: requests * work.promptBytes,
    fromEngines: events * engineEventBytes.value,
    apiAndValkey:
      requests * valkeyRequestBytes.value +
      load.checkpoints * checkpointBytes.value +
      load.heartbeats * heartbeatBytes.value +
      summaries * engines * summaryEngineBytes.value,
    valkeyToWorkers: requests * costs.waitingMemory.value,
    writeAheadLog: requests * walBytes.value,
  }
}

function busy(work: Workload): number {
  return work.busy / 100
}

function minimum(count: number): number {
  return Math.max(PROCESSES_MIN, Math.ceil(count))
}
