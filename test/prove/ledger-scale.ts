/** A month of usage records goes through a worker: each exactly once, at which rate and size. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Pool } from 'pg'
import { dayOf, createDayPartitions } from '../../src/store/postgres/partitions.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { PARTITIONS, partitionKeys, partitionOf } from '../../src/store/valkey/keys.ts'
import { type Valkey } from '../../src/store/valkey/valkey.ts'
import {
  checkLedgerOfUsage,
  countWrongRollUps,
  sumRecords,
  sumRollUps,
} from '../harness/ledger-sums.ts'
import { cpuSeconds as cpuSecondsOf } from '../harness/api-process.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { startWorkerProcess } from '../harness/worker-process.ts'
import { readSizes, timeMonth } from './ledger-scale/measure.ts'
import { createTraffic, type Traffic } from './ledger-scale/traffic.ts'

const RECORDS = 200_000
const RECORDS_SOAK = 5_000_000
/** Records that stand in Valkey at a time, each about half a kilobyte. */
const ROUND = 500_000
/** Commands that are sent together while the streams are filled. */
const COMMANDS_TOGETHER = 1_000
/** Every so many records one is written twice, as after a crash between commit and delete. */
const DUPLICATE_EVERY = 100
const MALFORMED = 5
const POLL_MS = 250
const STALLED_MS = 120_000
const MILLION = 1_000_000
const QUERY_TIMEOUT_MS = 600_000
const CONFIG = new URL('../../headrace.yaml', import.meta.url)

/** Writes records as a settlement would, straight into the streams. */
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
    if (commands.length >= COMMANDS_TOGETHER) await flush()
  }
  for (let number = 0; number < MALFORMED; number += 1) {
    const { usage } = partitionKeys(number % PARTITIONS)
    commands.push(['xadd', usage, '*', 'record', '{"id":"none"}'])
  }
  await flush()
}

/** Waits until the streams are empty. Throws if the workers stand still. */
async function drained(valkey: Valkey): Promise<void> {
  let [left, movedMs] = [Infinity, performance.now()]
  while (left > 0) {
    await pause(POLL_MS)
    const now = await backlog(valkey)
    if (now < left) movedMs = performance.now()
    left = now
    if (performance.now() - movedMs > STALLED_MS) throw new Error(`${left} records stand still`)
  }
}

async function backlog(valkey: Valkey): Promise<number> {
  const lengths = Array.from({ length: PARTITIONS }, (_, partition) =>
    valkey.call('XLEN', [partitionKeys(partition).usage]),
  )
  return ((await Promise.all(lengths)) as number[]).reduce((sum, length) => sum + length, 0)
}

const OPTIONS = {
  soak: { type: 'boolean', default: false },
  records: { type: 'string' },
  workers: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
} as const

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  const count = Number(values.records ?? (values.soak ? RECORDS_SOAK : RECORDS))
  const traffic = createTraffic(Number(values.seed), count, Date.now())
  await using config = await writeConfig()
  await using server = await startPostgres({ durable: true })
  await using postgres = openPostgres(server.url, { queryTimeoutMs: QUERY_TIMEOUT_MS })
  const { pool } = postgres
  await using store = await startValkey()
  await using valkey = await connectValkey([store.url], { timeoutMs: STALLED_MS })
  const days = [dayOf(traffic.firstDayMs), dayOf(traffic.lastDayMs)] as const
  await createDayPartitions(pool, 'usage_records', ...days)

  let [seconds, cpuSeconds, serverCpuSeconds, duplicates, rejected] = [0, 0, 0, 0, 0]
  const serverCpu = () => server.cpuSeconds() + cpuSecondsOf(store.pid)
  const walBefore = await walPosition(pool)
  for (let left = count; left > 0; left -= ROUND) {
    const size = Math.min(ROUND, left)
    await fill(valkey, traffic, size)
    const starting = Array.from({ length: Number(values.workers) }, () =>
      startWorkerProcess({ databaseUrl: server.url, valkeyUrl: store.url, file: config.path }),
    )
    await using workers = new AsyncDisposableStack()
    const running = (await Promise.all(starting)).map((worker) => workers.use(worker))
    const sinceMs = performance.now()
    for (const worker of running) cpuSeconds -= worker.cpuSeconds()
    serverCpuSeconds -= serverCpu()
    await drained(valkey)
    serverCpuSeconds += serverCpu()
    const took = (performance.now() - sinceMs) / 1_000
    seconds += took
    for (const worker of running) {
      cpuSeconds += worker.cpuSeconds()
      duplicates += await worker.metric('headrace_usage_duplicates_total')
      rejected += await worker.metric('headrace_usage_rejected_total')
    }
    console.log(`${count - Math.max(0, left - ROUND)} posted, ${rate(size, took)} a second`)
  }
  const walBytes = (await walPosition(pool)) - walBefore
  assert.equal(rejected, MALFORMED * Math.ceil(count / ROUND))

  await pool.query('vacuum analyze')
  await judge(pool, traffic)
  const month = [traffic.busiest, ...days] as const
  const fromRollUps = await timeMonth(pool, 'roll-ups', month)
  const fromRecords = await timeMonth(pool, 'records', month)
  for (const { cost } of [fromRollUps, fromRecords]) assert.equal(cost, traffic.ofBusiest.cost)

  const sizes = await readSizes(pool)
  const perMillion = (bytes: number) => ((bytes / count) * (MILLION / 2 ** 20)).toFixed(0)
  console.log(
    `ledger-scale: records=${count} workers=${values.workers} per_s=${rate(count, seconds)} ` +
      `worker_cpu_us=${((cpuSeconds / count) * MILLION).toFixed(1)} ` +
      `servers_cpu_us=${((serverCpuSeconds / count) * MILLION).toFixed(1)} ` +
      `per_core_s=${rate(count, cpuSeconds + serverCpuSeconds)} ` +
      `duplicates=${duplicates} rejected=${rejected} ` +
      `table_mib_per_million=${perMillion(sizes.table)} ` +
      `index_mib_per_million=${perMillion(sizes.index)} ` +
      `toast_mib_per_million=${perMillion(sizes.toast)} ` +
      `wal_mib_per_million=${perMillion(walBytes)} ` +
      `roll_ups_mib=${mebibytes(sizes.rollUps)} roll_up_rows=${sizes.rollUpRows} ` +
      `transfers_mib=${mebibytes(sizes.transfers)} ` +
      `month_of=${traffic.ofBusiest.requests} month_roll_ups_ms=${fromRollUps.ms.toFixed(1)} ` +
      `month_records_ms=${fromRecords.ms.toFixed(1)} exact=true`,
  )
}

/** Every record counted once, in every place where it is counted. */
async function judge(pool: Pool, traffic: Traffic): Promise<void> {
  assert.deepEqual(await sumRecords(pool), traffic.all)
  for (const table of ['usage_hourly', 'usage_daily'] as const)
    assert.deepEqual(await sumRollUps(pool, table), traffic.all)
  assert.equal(await countWrongRollUps(pool), 0)
  const books = { sum: 0, wrongAccounts: 0, wrongUses: 0, revenue: traffic.all.cost }
  assert.deepEqual(await checkLedgerOfUsage(pool), books)
}

/** The demo configuration, with any port for health checks: several workers may run here. */
async function writeConfig(): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-ledger-scale-'))
  const path = join(folder, 'headrace.yaml')
  await writeFile(path, `${await readFile(CONFIG, 'utf8')}\nworker: { health_port: 0 }\n`)
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

async function walPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ position: number }>(
    `select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as position`,
  )
  return rows[0]?.position ?? Number.NaN
}

function rate(records: number, seconds: number): string {
  return (records / seconds).toFixed(0)
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}

await main()
