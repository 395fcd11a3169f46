/**
 * A month of usage records through a worker: each posted exactly once, at which rate and size.
 * covers: src/worker/** src/store/ledger/** src/store/usage/** migrations/**
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Pool } from 'pg'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import {
  addDays,
  createPartitions,
  dayOf,
  dropPartitions,
} from '../../src/store/postgres/partitions.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { readBacklog } from '../../src/store/usage/usage-stream.ts'
import { PARTITIONS, partitionKeys, partitionOf } from '../../src/store/valkey/keys.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { findWrongSums, sumRecords, sumRollUps } from '../harness/seed/posted-usage.ts'
import { cpuSeconds } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startValkey } from '../harness/servers/valkey.ts'
import { readSizes, readWalPosition, timeMonth } from './ledger-scale/measure.ts'
import { readRowsPerStatement } from './ledger-scale/bounded-reads.ts'
import { createTraffic, type Traffic } from './ledger-scale/traffic.ts'

const RECORDS = 200_000
const RECORDS_SOAK = 5_000_000
/** Records that are in Valkey at a time, each about half a kilobyte. */
const ROUND = 500_000
/** Commands that are sent together while the streams are filled. */
const BATCH = 1_000
/** One record in so many is written twice, as after a crash between commit and delete. */
const DUPLICATE_EVERY = 100
const MALFORMED = 5
const POLL_MS = 250
const STALLED_MS = 120_000
const MILLION = 1_000_000
const MEBIBYTE = 2 ** 20
const QUERY_TIMEOUT_MS = 600_000
/** Beyond the partition that was the whole table once, which holds the traffic of this month. */
const EXPIRY_DAYS = 120
/** Rows that one statement of reconciliation may read, however many there are. */
const ROWS_PER_STATEMENT_MAX = 20_000

/** Writes records straight into the streams, as settlements would. */
async function fill(valkey: Valkey, traffic: Traffic, count: number): Promise<void> {
  let commands: [string, ...string[]][] = []
  const flush = async () => {
    for (const answer of await valkey.pipeline(commands)) if (answer instanceof Error) throw answer
    commands = []
  }
  for (let made = 1; made <= count; made += 1) {
    const record = traffic.next()
    const { usage } = partitionKeys(partitionOf(record.organizationId))
    const command: [string, ...string[]] = ['xadd', usage, '*', 'record', JSON.stringify(record)]
    commands.push(command)
    if (made % DUPLICATE_EVERY === 0) commands.push(command)
    if (commands.length >= BATCH) await flush()
  }
  for (let number = 0; number < MALFORMED; number += 1) {
    const { usage } = partitionKeys(number % PARTITIONS)
    commands.push(['xadd', usage, '*', 'record', '{"id":"none"}'])
  }
  await flush()
}

/** Waits until the streams are empty. Throws if the workers make no progress. */
async function drained(valkey: Valkey): Promise<void> {
  let [left, movedMs] = [Infinity, performance.now()]
  while (left > 0) {
    // pacing: progress is looked at after a moment.
    await pause(POLL_MS)
    const { records } = await readBacklog(valkey)
    if (records < left) movedMs = performance.now()
    left = records
    if (performance.now() - movedMs > STALLED_MS) throw new Error(`${left} records are not posted`)
  }
}

type Totals = Record<'seconds' | 'workerCpu' | 'serverCpu' | 'duplicates' | 'rejected', number>

/** Starts workers on streams that are full, and measures them until the streams are empty. */
async function postRound(
  environment: Environment,
  workerCount: number,
  serverCpu: () => number,
  totals: Totals,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const starting = Array.from({ length: workerCount }, () => environment.startWorker())
  const workers = (await Promise.all(starting)).map((worker) => stack.use(worker))
  const workerCpu = () => workers.reduce((sum, worker) => sum + worker.cpuSeconds(), 0)
  const [sinceMs, workersBefore, serversBefore] = [performance.now(), workerCpu(), serverCpu()]
  await drained(environment.valkey)
  const seconds = (performance.now() - sinceMs) / 1_000
  totals.serverCpu += serverCpu() - serversBefore
  totals.workerCpu += workerCpu() - workersBefore
  totals.seconds += seconds
  for (const worker of workers) {
    totals.duplicates += await worker.metric('headrace_usage_duplicates_total')
    totals.rejected += await worker.metric('headrace_usage_rejected_total')
  }
  return seconds
}

/** Every record is counted once, in every table that counts it. */
async function judge(run: ProofRun, pool: Pool, traffic: Traffic): Promise<void> {
  expect(run, 'records', await sumRecords(pool), traffic.all)
  for (const table of ['usage_hourly', 'usage_daily'] as const)
    expect(run, table, await sumRollUps(pool, table), traffic.all)
  expect(run, 'sums', await findWrongSums(pool), [])
}

/** Deletes all that can be deleted: reports of days and balances stay exact. */
async function judgeExpiry(run: ProofRun, { pool, database }: Postgres, traffic: Traffic) {
  const sizes = await readSizes(pool)
  const later = addDays(dayOf(Date.now()), EXPIRY_DAYS)
  for (const table of ['usage_transfers', 'usage_hourly'] as const) {
    await createPartitions(pool, table, dayOf(Date.now()), later)
    await dropPartitions(pool, table, later)
  }
  expect(run, 'sums per hour left', (await sumRollUps(pool, 'usage_hourly')).requests, 0)
  expect(run, 'sums per day', await sumRollUps(pool, 'usage_daily'), traffic.all)
  expect(run, 'balances', await checkLedger(database), { sum: 0, wrong: [] })
  const left = await readSizes(pool)
  return { rollUps: sizes.rollUps - left.rollUps, transfers: sizes.transfers - left.transfers }
}

function expect(run: ProofRun, name: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return
  run.fail(`${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
}

async function prove(run: ProofRun) {
  const count = Number(run.values['records'] ?? (run.soak ? RECORDS_SOAK : RECORDS))
  const workers = Number(run.values['workers'])
  const traffic = createTraffic(run.random, count, Date.now())
  await using server = await startPostgres({ durable: true })
  await using store = await startValkey()
  await using environment = await startEnvironment({
    databaseUrl: server.url,
    valkey: [store.url],
    sections: { worker: { health_port: 0 } },
  })
  await using postgres = openPostgres(server.url, { queryTimeoutMs: QUERY_TIMEOUT_MS })
  const { pool } = postgres
  const days = [dayOf(traffic.firstDayMs), dayOf(traffic.lastDayMs)] as const
  await createPartitions(pool, 'usage_records', ...days)

  const totals: Totals = { seconds: 0, workerCpu: 0, serverCpu: 0, duplicates: 0, rejected: 0 }
  const serverCpu = () => server.cpuSeconds() + cpuSeconds(store.pid)
  const walBefore = await readWalPosition(pool)
  for (let left = count; left > 0; left -= ROUND) {
    const size = Math.min(ROUND, left)
    await fill(environment.valkey, traffic, size)
    const seconds = await postRound(environment, workers, serverCpu, totals)
    console.log(`${count - left + size} posted, ${rate(size, seconds)} a second`)
  }
  const walBytes = (await readWalPosition(pool)) - walBefore
  expect(run, 'rejected', totals.rejected, MALFORMED * Math.ceil(count / ROUND))

  await pool.query('vacuum analyze')
  await judge(run, pool, traffic)
  const reads = await readRowsPerStatement(pool, environment.valkey, traffic.lastDayMs)
  if (reads.rowsMax > ROWS_PER_STATEMENT_MAX)
    run.fail(`a statement of reconciliation read ${reads.rowsMax} rows`)
  const month = [traffic.busiest, ...days] as const
  const fromRollUps = await timeMonth(pool, 'roll-ups', month)
  const fromRecords = await timeMonth(pool, 'records', month)
  for (const { cost } of [fromRollUps, fromRecords])
    expect(run, 'cost of a month', cost, traffic.ofBusiest.cost)

  const sizes = await readSizes(pool)
  const expired = await judgeExpiry(run, postgres, traffic)
  const perMillion = (bytes: number) => ((bytes / count) * (MILLION / MEBIBYTE)).toFixed(0)
  return {
    records: count,
    workers,
    per_s: rate(count, totals.seconds),
    worker_cpu_us: ((totals.workerCpu / count) * MILLION).toFixed(1),
    servers_cpu_us: ((totals.serverCpu / count) * MILLION).toFixed(1),
    per_core_s: rate(count, totals.workerCpu + totals.serverCpu),
    duplicates: totals.duplicates,
    rejected: totals.rejected,
    table_mib_per_million: perMillion(sizes.table),
    index_mib_per_million: perMillion(sizes.index),
    toast_mib_per_million: perMillion(sizes.toast),
    wal_mib_per_million: perMillion(walBytes),
    roll_ups_mib: (sizes.rollUps / MEBIBYTE).toFixed(0),
    roll_up_rows: sizes.rollUpRows,
    transfers_mib: (sizes.transfers / MEBIBYTE).toFixed(0),
    expired_mib: ((expired.rollUps + expired.transfers) / MEBIBYTE).toFixed(0),
    month_of: traffic.ofBusiest.requests,
    month_roll_ups_ms: fromRollUps.ms.toFixed(1),
    month_records_ms: fromRecords.ms.toFixed(1),
    reconcile_statements: reads.statements,
    reconcile_rows_max: reads.rowsMax,
    exact: String(run.failures.length === 0),
  }
}

function rate(records: number, seconds: number): string {
  return (records / seconds).toFixed(0)
}

// The default seed is fixed, so that figures of two runs compare.
await runProof('ledger-scale', prove, {
  seed: { type: 'string', default: '1' },
  records: { type: 'string' },
  workers: { type: 'string', default: '1' },
})
