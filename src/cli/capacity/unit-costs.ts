import {
  FIGURES_MS_MAX,
  FIGURES_MS_PER_PROCESS,
  INTERVAL_MS,
  PROCESSES_PER_GAP_MS,
  URGENT_INTERVAL_MS,
} from '../../engines/fleet/heartbeat.ts'
import { CONNECTIONS_MAX } from '../../start/serve-worker.ts'
import { SUMS_DAYS } from '../../store/postgres/partitions.ts'
import {
  IDENTITIES_MAX,
  REFRESH_AFTER_MS,
  REFRESH_JITTER,
} from '../../store/tenants/identity-cache.ts'
import { CHECKPOINT_MS, CHECKPOINT_TOKENS, TICK_MS } from '../../store/usage/checkpoints.ts'

const SECOND_MS = 1_000

/** What one thing costs, and the proof that measures it. */
export type UnitCost = {
  readonly value: number
  readonly unit: string
  readonly what: string
  readonly proof: string
}

const cost = (value: number, unit: string, what: string, proof: string): UnitCost => {
  return { value, unit, what, proof }
}

/**
 * Every figure that the calculator uses. They were measured on one machine with 2 cores; the proof
 * `unit-costs` fails when bytes deviate from this table.
 */
export const UNIT_COSTS = {
  requestCpu: cost(205, 'µs', 'api: processor time of a request', 'cost'),
  eventCpu: cost(20, 'µs', 'api: processor time of a streamed token', 'cost'),
  promptCpu: cost(5.5, 'µs', 'api: processor time of a KiB of prompt', 'unit-costs'),
  streamMemory: cost(28.4, 'KiB', 'api: memory of an open stream', 'cost'),
  processMemory: cost(140, 'MiB', 'api: memory of a process without streams', 'unit-costs'),

  admissionCpu: cost(62, 'µs', 'Valkey: processor time of an admission', 'admission-cost'),
  settlementCpu: cost(65, 'µs', 'Valkey: processor time of a settlement', 'admission-cost'),
  checkpointCallCpu: cost(4.3, 'µs', 'Valkey: processor time of checkpoints', 'unit-costs'),
  checkpointCpu: cost(1.7, 'µs', 'Valkey: … for each stream in the call', 'unit-costs'),
  heartbeatCpu: cost(100, 'µs', 'Valkey: processor time of a heartbeat', 'fleet-scale'),
  summaryEngineCpu: cost(3, 'µs', 'Valkey: … of an engine in a summary', 'fleet-scale'),
  organizationMemory: cost(531, 'B', 'Valkey: an organization with a balance', 'unit-costs'),
  limitedKeyMemory: cost(166, 'B', 'Valkey: a key with limits of its own', 'unit-costs'),
  openMemory: cost(918, 'B', 'Valkey: a request that runs', 'unit-costs'),
  waitingMemory: cost(832, 'B', 'Valkey: a record that waits to be posted', 'unit-costs'),

  clientEventBytes: cost(263, 'B', 'a token on its way to the client', 'unit-costs'),
  clientRequestBytes: cost(1_393, 'B', 'a stream without its tokens', 'unit-costs'),
  engineEventBytes: cost(352, 'B', 'a token on its way from vLLM', 'unit-costs'),
  valkeyRequestBytes: cost(2_621, 'B', 'a request to Valkey and back', 'unit-costs'),
  checkpointBytes: cost(238, 'B', 'a checkpoint to Valkey and back', 'unit-costs'),
  heartbeatBytes: cost(1_000, 'B', 'a heartbeat to Valkey and back', 'fleet-scale'),
  summaryEngineBytes: cost(7, 'B', 'an engine in a summary', 'fleet-scale'),

  postedPerSecond: cost(18_086, 'records/s', 'worker: posts', 'ledger-scale'),
  postingCpu: cost(30, 'µs', 'PostgreSQL: processor time of a posted record', 'unit-costs'),
  lookupCpu: cost(175, 'µs', 'PostgreSQL: processor time of a read caller', 'unit-costs'),
  recordDisk: cost(526, 'B', 'PostgreSQL: a usage record with its indexes', 'ledger-scale'),
  rollUpDisk: cost(348, 'B', 'PostgreSQL: sums of a key in an hour or a day', 'ledger-scale'),
  organizationDisk: cost(4_084, 'B', 'PostgreSQL: an organization with a member', 'unit-costs'),
  keyDisk: cost(883, 'B', 'PostgreSQL: an API key', 'unit-costs'),
  walBytes: cost(969, 'B', 'PostgreSQL: write-ahead log of a record', 'ledger-scale'),
} as const satisfies Readonly<Record<string, UnitCost>>

/** The table, or another one with the same names. */
export type UnitCosts = Readonly<Record<keyof typeof UNIT_COSTS, Pick<UnitCost, 'value'>>>

/** What the code does at a fixed rate, or at most. */
export const FIXED = {
  /** A checkpoint is written after so many tokens or so long; streams of a tick share it. */
  checkpointTokens: CHECKPOINT_TOKENS,
  checkpointSeconds: CHECKPOINT_MS / SECOND_MS,
  checkpointTicksPerSecond: SECOND_MS / TICK_MS,
  /** While requests wait, the second. */
  heartbeatsPerSecond: SECOND_MS / INTERVAL_MS,
  urgentHeartbeatsPerSecond: SECOND_MS / URGENT_INTERVAL_MS,
  /** A process that has just sent one waits one millisecond for so many processes. */
  processesPerGapMs: PROCESSES_PER_GAP_MS,
  /** A process reads the summary so often: by the number of processes, and at least. */
  summaryMsPerProcess: FIGURES_MS_PER_PROCESS,
  summaryMsMax: FIGURES_MS_MAX,
  /** One is made so often for each engine, and at least; see `heartbeat-summary.lua`. */
  madeMsPerEngine: 0.5,
  madeMsMax: 400,
  /** Callers that a process caches, and how long it uses one on average. */
  cachedCallers: IDENTITIES_MAX,
  callerSeconds: (REFRESH_AFTER_MS * (1 + REFRESH_JITTER / 2)) / SECOND_MS,
  /** Connections to PostgreSQL of a worker; the lock of the leader has one more. */
  workerConnections: CONNECTIONS_MAX + 1,
  /** Days for which sums per hour and per day are kept. */
  hourlyDays: SUMS_DAYS.usage_hourly,
  dailyDays: SUMS_DAYS.usage_daily,
} as const
