// PostgreSQL or Valkey stopped, frozen or killed: known callers are served, unchecked ones never.
// covers: src/store/postgres/** src/store/valkey/** src/inference/admit.ts
import { setTimeout as pause } from 'node:timers/promises'
import { startEnvironment } from '../harness/environment.ts'
import {
  codeOf,
  durationMs,
  openLine,
  type Exchange,
  type Line,
} from '../harness/clients/http-client.ts'
import { startLoad, type Load } from '../harness/load/load.ts'
import { percentile, timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { startPostgres, type PostgresServer } from '../harness/servers/postgres-server.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof } from '../harness/proof.ts'
import { startValkey, type ValkeyServer } from '../harness/servers/valkey.ts'
import { judgeReplica } from './unavailable/replica.ts'

/** Each of an organization of its own, so that no bound on waiting requests is met. */
const KNOWN = 8
const PAUSE_MS = 10
/** Requests of each known caller after an outage. */
const AFTER_EACH = 20
const BEFORE_MS = 500
/** Longer than two holds: a caller may be in one when it begins, and must see a whole one. */
const OUTAGE_MS = 5_600
const SOAK_OUTAGE_MS = 30_000
/** Before memory is measured, so that the memory a process needs to start is not counted. */
const WARMING_MS = 3_000
/** New callers during an outage of PostgreSQL: together more than there are connections to it. */
const UNKNOWN_EVERY_MS = 400
const UNKNOWN_AT_ONCE = 6
const RECOVERY_MS_MAX = 5_000
/** The timeout for PostgreSQL is 2 s, once for the connection and once for the answer. */
const UNKNOWN_MS_MAX = 2_500
const HELD_MS_MIN = 2_400
const HELD_MS_MAX = 4_000
const GROWTH_BYTES_MAX = 96 * 1024 * 1024

const WAYS = ['stopped', 'frozen', 'killed'] as const
type Way = (typeof WAYS)[number]

type Outcome = { readonly held: boolean; readonly recoveryMs: number; readonly details: string }

type Setting = {
  readonly api: HeadraceProcess
  readonly line: Line
  readonly keys: readonly string[]
  readonly outageMs: number
  newKey(): Promise<string>
}

/** A server that can be stopped and restarted. */
type Outage = Pick<PostgresServer, 'stop' | 'freeze' | 'kill' | 'thaw' | 'start'>

/** The known callers, each listing the models without end. */
function startKnown({ line, keys }: Setting): Load {
  return startLoad(keys.length, PAUSE_MS, (worker) => line.models(keys[worker] ?? ''))
}

function within(load: Load, fromMs: number, toMs: number): Exchange[] {
  return load.exchanges.filter(({ begunMs, endedMs }) => begunMs > fromMs && endedMs < toMs)
}

function summary(exchanges: readonly Exchange[]): string {
  const kinds = Map.groupBy(exchanges, (each) =>
    each.status === 200 ? '200' : `${each.status} ${codeOf(each)}`,
  )
  const longest = (group: readonly Exchange[]) => Math.round(Math.max(...group.map(durationMs)))
  return [...kinds]
    .map(([kind, group]) => `${group.length}×${kind} ≤${longest(group)}ms`)
    .join(', ')
}

/** How long it took until the key was served; Infinity if it was not. */
async function recovery({ line }: Setting, key: string): Promise<number> {
  const isServed = async () => (await line.models(key)).status === 200
  return (await timeUntil(isServed, 2 * RECOVERY_MS_MAX)) ?? Infinity
}

/** Interrupts a server under load; returns the moments between which it was unavailable. */
async function interrupt(server: Outage, way: Way, during: () => Promise<void>) {
  // time is under test: the load runs for a moment before the server is gone.
  await pause(BEFORE_MS)
  if (way === 'stopped') await server.stop()
  else if (way === 'frozen') server.freeze()
  else await server.kill()
  const goneMs = performance.now()
  await during()
  const backMs = performance.now()
  if (way === 'frozen') server.thaw()
  else await server.start()
  return { goneMs, backMs, startedIn: `up after ${Math.round(performance.now() - backMs)}ms` }
}

async function judgePostgres(setting: Setting, server: Outage, way: Way): Promise<Outcome> {
  // Stored while the server is there, used for the first time while it is not.
  const visits = Math.floor(setting.outageMs / 2 / UNKNOWN_EVERY_MS)
  const strangers = await Promise.all(
    Array.from({ length: UNKNOWN_AT_ONCE * visits }, () => setting.newKey()),
  )
  const load = startKnown(setting)
  let answers: Exchange[] = []
  const { goneMs, backMs, startedIn } = await interrupt(server, way, async () => {
    const unknown: Promise<Exchange>[] = []
    for (let visit = 0; visit < visits; visit += 1) {
      const some = strangers.slice(UNKNOWN_AT_ONCE * visit, UNKNOWN_AT_ONCE * (visit + 1))
      unknown.push(...some.map((key) => setting.line.models(key)))
      // pacing: new callers come at an interval.
      await pause(UNKNOWN_EVERY_MS)
    }
    answers = await Promise.all(unknown)
  })
  const recoveryMs = await recovery(setting, await setting.newKey())
  await load.stop()
  const known = within(load, goneMs, backMs)
  const held =
    known.length > 0 &&
    load.exchanges.every(({ status }) => status === 200) &&
    load.broken.length === 0 &&
    answers.every((each) => each.status === 503 && codeOf(each) === 'service_unavailable') &&
    answers.every((each) => durationMs(each) <= UNKNOWN_MS_MAX) &&
    recoveryMs <= RECOVERY_MS_MAX &&
    setting.api.isRunning()
  const details = `known ${summary(known)}; unknown ${summary(answers)}; ${startedIn}`
  return { held, recoveryMs, details }
}

async function judgeValkey(setting: Setting, server: Outage, way: Way): Promise<Outcome> {
  const load = startKnown(setting)
  // time is under test: how long the server is away.
  const { goneMs, backMs, startedIn } = await interrupt(server, way, () => pause(setting.outageMs))
  const recoveryMs = await recovery(setting, setting.keys[0] ?? '')
  // Requests that waited when the server came back must be admitted too, and later ones.
  const served = load.exchanges.length + AFTER_EACH * KNOWN
  await waitUntil('known callers', () => load.exchanges.length >= served, 2 * RECOVERY_MS_MAX)
  await load.stop()
  const during = within(load, goneMs, backMs)
  const rejected = load.exchanges.filter(({ status }) => status !== 200)
  const waits = rejected.map(durationMs)
  const held =
    during.length >= setting.keys.length &&
    during.every(({ status }) => status === 503) &&
    rejected.every((each) => each.status === 503 && codeOf(each) === 'rate_limit_unavailable') &&
    waits.every((waitMs) => waitMs >= HELD_MS_MIN && waitMs <= HELD_MS_MAX) &&
    load.broken.length === 0 &&
    recoveryMs <= RECOVERY_MS_MAX &&
    setting.api.isRunning()
  const waited = `waits p50 ${Math.round(percentile(waits, 0.5))}ms`
  return { held, recoveryMs, details: `known ${summary(during)}; ${waited}; ${startedIn}` }
}

/** A server at a fixed address that comes back empty, as one without a disk does. */
async function startReturningValkey(): Promise<
  Outage & AsyncDisposable & { readonly url: string }
> {
  let server: ValkeyServer = await startValkey()
  const { url } = server
  return {
    url,
    async stop() {
      process.kill(server.pid, 'SIGTERM')
      await waitUntil('Valkey to stop', () => !isAlive(server.pid), RECOVERY_MS_MAX)
    },
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    kill: () => server.kill(),
    async start() {
      await server.kill()
      server = await startValkey({ port: Number(new URL(url).port) })
    },
    [Symbol.asyncDispose]: () => server.kill(),
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

await runProof('unavailable', async (run) => {
  await using postgres = await startPostgres()
  await using valkey = await startReturningValkey()
  await using environment = await startEnvironment({
    databaseUrl: postgres.url,
    valkey: [valkey.url],
  })
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, 64)
  const outageMs = run.soak ? SOAK_OUTAGE_MS : OUTAGE_MS
  const newKey = async () => (await environment.openCaller()).key
  const keys = await Promise.all(Array.from({ length: KNOWN }, newKey))
  for (const key of keys) await line.models(key)
  const setting: Setting = { api, line, keys, outageMs, newKey }
  const warming = startKnown(setting)
  // time is under test: a process needs more memory in its first seconds.
  await pause(WARMING_MS)
  await warming.stop()
  const bytesBefore = api.residentBytes()
  const outcomes: Outcome[] = []
  const note = (title: string, outcome: Outcome) => {
    const { held, recoveryMs, details } = outcome
    const back = `back in ${Math.round(recoveryMs)}ms`
    console.log(`${held ? 'holds' : 'FAILS'}  ${title.padEnd(19)}  ${back}  ${details}`)
    if (!held) run.fail(`${title}: ${details}`)
    outcomes.push(outcome)
  }
  for (const [name, server, judge] of [
    ['PostgreSQL', postgres, judgePostgres],
    ['Valkey', valkey, judgeValkey],
  ] as const)
    for (const way of WAYS) note(`${name} ${way}`, await judge(setting, server, way))
  const growth = api.residentBytes() - bytesBefore
  if (growth > GROWTH_BYTES_MAX) run.fail(`the api grew by ${growth} bytes`)
  if (api.crashes > 0) run.fail('the api crashed')
  note('only a replica', await judgeReplica())
  return {
    cells: outcomes.length,
    held: outcomes.filter(({ held }) => held).length,
    recovery_ms_max: Math.round(Math.max(...outcomes.map(({ recoveryMs }) => recoveryMs))),
    api_restarts: api.crashes,
    growth_mib: (growth / 2 ** 20).toFixed(1),
  }
})
