// The largest run that a machine can carry: many streams and organizations, kills, nothing lost.
// covers: src/inference/** src/store/** src/worker/**
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTools } from '../../bench/load.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { resyncFunds } from '../../src/worker/resync-funds.ts'
import { chooseFreePort } from '../../stack/ports.ts'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { findWrongSums, readPosted } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { startFailingCluster } from '../harness/servers/valkey-failover.ts'
import { connectValkey } from '../harness/servers/valkey.ts'
import { fillPostgres } from './scale/fill-postgres.ts'
import { fillValkey, readLeft } from './scale/fill-valkey.ts'
import { judge, PRICE } from './scale/judge.ts'
import { killInTurn } from './scale/kills.ts'
import {
  findDifferences,
  findRunning,
  findWrongFunds,
  waitUntilPosted,
} from './scale/left-behind.ts'
import { startEngine, startGenerator, type Attempt, type Generator } from './scale/load.ts'
import { startMeter, type Measurement } from './scale/meter.ts'

type Size = {
  readonly streams: number
  readonly organizations: number
  readonly minutes: number
  /** The tokens of a stream, and the time between two of them. */
  readonly tokens: number
  readonly everyMs: number
  /** Over which the first requests are spread, and clients come back after a failure. */
  readonly staggerMs: number
  readonly retryMs: number
  readonly betweenKillsMs: number
}

const SOAK: Size = {
  // A few more than are wanted at a time: some clients wait before they come back.
  streams: 20_500,
  organizations: 1_000_000,
  minutes: 10,
  tokens: 12,
  everyMs: 20_000,
  staggerMs: 120_000,
  retryMs: 15_000,
  betweenKillsMs: 20_000,
}
const FAST: Size = {
  streams: 2_000,
  organizations: 100_000,
  minutes: 1,
  tokens: 8,
  everyMs: 2_000,
  staggerMs: 5_000,
  retryMs: 2_000,
  betweenKillsMs: 2_000,
}
/** One kill of each kind. */
const SHORT: Size = {
  ...FAST,
  streams: 400,
  organizations: 20_000,
  minutes: 0,
  everyMs: 1_500,
  staggerMs: 2_000,
  retryMs: 1_000,
  betweenKillsMs: 500,
}

/** A stream has two connections, and a process often at most 20,000 files. */
const STREAMS_PER_API = 5_200
const APIS_MIN = 2
const ENGINES = 3
const WORKERS = 3
const ABORT_PERCENT = 20
const LEASE_SECONDS = 10
const API_PORT_FIRST = 22_000
const ENGINE_PORT_FIRST = 23_000
const PLAN = 'prepaid'
/** A reply of one token at once. */
const ONE_TOKEN = 'fake-c1'
const PATH = '/compat/v1/chat/completions'
const QUERY_TIMEOUT_MS = 600_000
/** Of the number of streams. */
const COMPLETED_SHARE = 0.25
const COMPLETED_TIMEOUT_MS = 300_000
const MEBIBYTE = 2 ** 20

function sizeOf({ short, soak, values }: ProofRun): Size {
  const size = short ? SHORT : soak ? SOAK : FAST
  const read = (name: 'streams' | 'organizations' | 'minutes') => Number(values[name] ?? size[name])
  return {
    ...size,
    streams: read('streams'),
    organizations: read('organizations'),
    minutes: read('minutes'),
  }
}

function modelOf({ tokens, everyMs }: Size): string {
  return `fake-c${tokens}-d${everyMs}`
}

/** Stores, engines and processes, with all organizations in PostgreSQL. */
async function startSetting(stack: AsyncDisposableStack, size: Size, showsLog: boolean) {
  const server = stack.use(
    await startPostgres({ settings: ['shared_buffers=512MB', 'max_wal_size=8GB'] }),
  )
  const cluster = stack.use(await startFailingCluster())
  const engines = []
  for (let port = ENGINE_PORT_FIRST; engines.length < ENGINES; port += 1)
    engines.push(stack.use(await startEngine((port = await chooseFreePort(port)))))
  const named = engines.map(({ url }, at) => ({ name: `engine-${at}`, url }))
  const traits = {
    engines: named.map(({ name }) => name),
    context_length: 131_072,
    price: PRICE,
  }
  const environment = stack.use(
    await startEnvironment({
      engines: named.map((each) => ({ ...each, kind: 'vllm', slots: size.streams })),
      models: [modelOf(size), ONE_TOKEN].map((id) => ({ id, ...traits })),
      plans: { [PLAN]: { models: 'all', billing: 'prepaid', limits: limitsOf() } },
      databaseUrl: server.url,
      valkey: cluster.urls,
      sections: {
        usage: { acknowledged_replicas: 1 },
        worker: { health_port: 0, lease_seconds: LEASE_SECONDS },
      },
      onLog: (line) => void (showsLog && !line.includes('"level":30') && console.log(line)),
    }),
  )
  const apiCount = Math.max(APIS_MIN, Math.ceil(size.streams / STREAMS_PER_API))
  const active = Math.ceil(size.streams / apiCount)
  const keys = await fillPostgres(server.url, PLAN, size.organizations, active)
  const ports = await choosePorts(apiCount)
  // A port of its own that stays the same: its clients come back after a kill.
  const apis = await Promise.all(
    ports.map((port) => environment.startApi({ HEADRACE_API_PORT: `${port}` })),
  )
  const workers = Array.from({ length: WORKERS }, () => environment.startWorker())
  const started = await Promise.all(workers)
  return { server, cluster, engines, environment, apis, ports, keys, workers: started }
}

async function choosePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count)
    ports.push(await chooseFreePort((ports.at(-1) ?? API_PORT_FIRST) + 1))
  return ports
}

/** One request, and what it leaves in Valkey is given to all organizations that make none. */
async function fillFrom(
  { valkey }: Environment,
  url: string,
  keys: readonly string[],
  organizations: number,
): Promise<Attempt> {
  const messages = [{ role: 'user', content: 'Hi' }]
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: ONE_TOKEN, messages, max_completion_tokens: 1 }),
  })
  if (response.status !== 200) throw new Error(await response.text())
  await response.text()
  await fillValkey(valkey, await readLeft(valkey, 1), keys.length + 1, organizations)
  const id = response.headers.get('x-request-id') ?? undefined
  return { id, ending: 'whole', status: 200, seen: 1 }
}

/** So that completed streams are judged, too, however slow the machine is. */
async function waitUntilCompleted({ postgres }: Environment, wanted: number): Promise<void> {
  const isCompleted = async () => {
    const { rows } = await postgres.pool.query<{ count: number }>(
      `select count(*)::int as count from usage_records where outcome = 'completed'`,
    )
    return (rows[0]?.count ?? 0) >= wanted
  }
  await waitUntil(`${wanted} completed streams`, isCompleted, COMPLETED_TIMEOUT_MS)
}

type Setting = Awaited<ReturnType<typeof startSetting>>

/** Puts the load on, kills what can be killed, and returns how each request ended. */
async function loadWhileKilling(
  run: ProofRun,
  size: Size,
  { ports, keys, environment, ...measured }: Setting,
) {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-scale-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const generators: Generator[] = []
  const parts = { ...measured, generators }
  const meter = startMeter(parts)
  const { tokens, staggerMs, retryMs } = size
  const common = { path: PATH, keys, model: modelOf(size), tokens, staggerMs, retryMs, folder }
  const streams = Math.ceil(size.streams / ports.length)
  for (const port of ports) {
    const settings = { ...common, port, streams, abortPercent: ABORT_PERCENT }
    generators.push(stack.use(await startGenerator(settings)))
  }
  const kills = await killInTurn(parts, run.random, {
    streams: size.streams,
    durationMs: size.minutes * 60_000,
    betweenMs: size.betweenKillsMs,
  })
  await waitUntilCompleted(environment, COMPLETED_SHARE * size.streams)
  const measurement = await meter.stop()
  const attempts = await Promise.all(generators.map((generator) => generator.stop()))
  return { kills, measurement, attempts: attempts.flat() }
}

async function prove(run: ProofRun) {
  const size = sizeOf(run)
  // Every server that is started listens for our exit, so as not to outlive it.
  process.setMaxListeners(0)
  await buildTools()
  await using stack = new AsyncDisposableStack()
  const setting = await startSetting(stack, size, run.values['log'] !== undefined)
  const { environment, cluster, apis, workers, ports, keys } = setting
  const url = `http://127.0.0.1:${ports[0]}${PATH}`
  const first = await fillFrom(environment, url, keys, size.organizations)
  console.log(`${size.organizations} organizations are in the stores`)
  const loaded = await loadWhileKilling(run, size, setting)

  // The environment's own connection has been idle since before the failovers.
  const valkey = stack.use(await connectValkey(cluster.urls))
  const { pool } = stack.use(
    openPostgres(environment.databaseUrl, { queryTimeoutMs: QUERY_TIMEOUT_MS }),
  )
  const drainedMs = await waitUntilPosted(valkey)
  const { corrected } = await resyncFunds(pool, valkey, 0)
  const attempts = [first, ...loaded.attempts]
  const verdict = judge(attempts, await readPosted(pool), size.everyMs, run.fail)
  const differences = await findDifferences(pool, valkey)
  const wrongSums = await findWrongSums(pool)
  const running = await findRunning(valkey)
  const wrongFunds = await findWrongFunds(pool, valkey, keys.length)
  for (const found of [differences, wrongSums, running, wrongFunds].flat()) run.fail(found)
  if (verdict.lost_settled === 0) run.fail('no worker closed a record of the killed api')
  const crashes = [...apis, ...workers].reduce((sum, each) => sum + each.crashes, 0)
  if (crashes > 0) run.fail(`${crashes} processes ended unexpectedly`)
  const { rows } = await pool.query<{ bytes: number }>(
    'select pg_database_size(current_database())::bigint as bytes',
  )
  return {
    streams_open_max: loaded.measurement.openMax,
    organizations: size.organizations,
    apis: apis.length,
    workers: WORKERS,
    valkey_nodes: cluster.servers().length,
    ...verdict,
    kills: Object.values(loaded.kills).reduce((sum, count) => sum + count, 0),
    reconcile_differences: differences.length,
    wrong_sums: wrongSums.length,
    wrong_funds: wrongFunds.length,
    spent_corrected: corrected,
    still_running: running.length,
    drained_s: (drainedMs / 1_000).toFixed(1),
    postgres_mib: Math.round((rows[0]?.bytes ?? 0) / MEBIBYTE),
    ...costsOf(loaded.measurement, verdict),
  }
}

function costsOf(measurement: Measurement, verdict: { requests: number; events: number }) {
  const { seconds, cpuSeconds: cpu } = measurement
  const perRequest = (used: number) => Math.round((used / verdict.requests) * 1e6)
  const all = Object.values(cpu).reduce((sum, each) => sum + each, 0)
  return {
    seconds: Math.round(seconds),
    rss_kib_per_stream: (measurement.bytesPerStream / 1024).toFixed(1),
    valkey_mib: Math.round(measurement.valkeyBytesMax / MEBIBYTE),
    valkey_ops_s: Math.round(measurement.commandsPerSecond),
    cores: (all / seconds).toFixed(2),
    api_us_per_request: perRequest(cpu.api),
    api_us_per_event: Math.round((cpu.api / verdict.events) * 1e6),
    valkey_us_per_request: perRequest(cpu.valkey),
    worker_us_per_request: perRequest(cpu.worker),
    postgres_us_per_request: perRequest(cpu.postgres),
    engine_us_per_request: perRequest(cpu.engine),
    generator_us_per_request: perRequest(cpu.generator),
  }
}

await runProof('scale', prove, {
  streams: { type: 'string' },
  organizations: { type: 'string' },
  minutes: { type: 'string' },
  log: { type: 'boolean' },
})
