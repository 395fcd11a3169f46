// PostgreSQL or Valkey stopped, frozen or killed: known callers go on, and nobody slips in.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import type { ApiProcess } from '../harness/api-process.ts'
import { startPostgres, type PostgresServer } from '../harness/postgres-server.ts'
import { startValkey, type ValkeyServer } from '../harness/valkey.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { startLoad, type Load } from '../harness/load.ts'
import { waitUntil } from '../harness/measure.ts'
import { openKey, openOrganization } from '../harness/tenants.ts'
import { limitsOf } from '../harness/environment.ts'
import { startReplicas } from './admission/replicas.ts'

/** Each of an organization of its own, so that no bound on what is held is met. */
const KNOWN = 8
const PAUSE_MS = 10
/** Longer than two holds: a caller may be in one when it begins, and must see a whole one. */
const AWAY_MS = 5_600
/** Before memory is measured, so that what a process takes to get going is not counted. */
const WARMING_MS = 3_000
const SOAK_AWAY_MS = 30_000
/** New callers come by while PostgreSQL is away: together more than there are connections to it. */
const UNKNOWN_EVERY_MS = 400
const UNKNOWN_AT_ONCE = 6
const RECOVERY_MS_MAX = 5_000
/** The timeout with PostgreSQL is 2 s, once for the connection and once for the answer. */
const UNKNOWN_MS_MAX = 2_500
const HELD_MS_MIN = 2_400
const HELD_MS_MAX = 4_000
const GROWTH_BYTES_MAX = 96 * 1024 * 1024

type Way = 'stopped' | 'frozen' | 'killed'
const WAYS: readonly Way[] = ['stopped', 'frozen', 'killed']

type Cell = {
  readonly server: 'PostgreSQL' | 'Valkey'
  readonly way: Way
  readonly held: boolean
  readonly recoveryMs: number
  readonly told: string
}

type World = {
  readonly api: ApiProcess
  readonly line: Line
  readonly postgres: Postgres
  readonly keys: readonly string[]
  readonly awayMs: number
  newKey(): Promise<string>
}

/** The known callers, each asking for the models without end. */
function startKnown({ line, keys }: World): Load {
  return startLoad(keys.length, PAUSE_MS, (lane) => line.models(keys[lane] ?? ''))
}

function within(load: Load, fromMs: number, toMs: number): Exchange[] {
  return load.exchanges.filter(({ begunMs, endedMs }) => begunMs > fromMs && endedMs < toMs)
}

function summary(exchanges: readonly Exchange[]): string {
  const kinds = Map.groupBy(exchanges, (each) =>
    each.status === 200 ? '200' : `${each.status} ${codeOf(each)}`,
  )
  const longest = (group: readonly Exchange[]) =>
    Math.round(Math.max(...group.map(({ begunMs, endedMs }) => endedMs - begunMs)))
  return [...kinds]
    .map(([kind, group]) => `${group.length}×${kind} ≤${longest(group)}ms`)
    .join(', ')
}

async function takeAway(
  server: Pick<PostgresServer, 'stop' | 'freeze' | 'kill'>,
  way: Way,
): Promise<void> {
  if (way === 'stopped') await server.stop()
  else if (way === 'frozen') server.freeze()
  else await server.kill()
}

async function judgePostgres(world: World, server: PostgresServer, way: Way): Promise<Cell> {
  // Stored while the server is there, used for the first time while it is not.
  const visits = Math.floor(world.awayMs / 2 / UNKNOWN_EVERY_MS)
  const strangers = await Promise.all(
    Array.from({ length: UNKNOWN_AT_ONCE * visits }, () => world.newKey()),
  )
  const load = startKnown(world)
  await pause(500)
  await takeAway(server, way)
  const goneMs = performance.now()
  const unknown: Promise<Exchange>[] = []
  for (let visit = 0; visit < visits; visit += 1) {
    const some = strangers.slice(UNKNOWN_AT_ONCE * visit, UNKNOWN_AT_ONCE * (visit + 1))
    unknown.push(...some.map((key) => world.line.models(key)))
    await pause(UNKNOWN_EVERY_MS)
  }
  const answers = await Promise.all(unknown)
  const backMs = performance.now()
  if (way === 'frozen') server.thaw()
  else await server.start()
  const upMs = performance.now()
  const late = await world.newKey()
  const recoveryMs = await waitUntil(
    async () => (await world.line.models(late)).status === 200,
    2 * RECOVERY_MS_MAX,
  )
  await load.stop()
  const known = within(load, goneMs, backMs)
  const held =
    known.length > 0 &&
    known.every(({ status }) => status === 200) &&
    load.exchanges.every(({ status }) => status === 200) &&
    load.broken.length === 0 &&
    answers.every((each) => each.status === 503 && codeOf(each) === 'service_unavailable') &&
    answers.every(({ begunMs, endedMs }) => endedMs - begunMs <= UNKNOWN_MS_MAX) &&
    recoveryMs <= RECOVERY_MS_MAX &&
    world.api.isRunning()
  const up = `up after ${Math.round(upMs - backMs)}ms`
  const told = `known ${summary(known)}; unknown ${summary(answers)}; ${up}`
  return { server: 'PostgreSQL', way, held, recoveryMs, told }
}

/** A server at a fixed address that comes back empty, as one without a disk does. */
async function startReturningValkey() {
  let server: ValkeyServer = await startValkey()
  const { url } = server
  const port = Number(new URL(url).port)
  return {
    url,
    async stop() {
      process.kill(server.pid, 'SIGTERM')
      await waitUntil(() => Promise.resolve(!isThere(server.pid)), RECOVERY_MS_MAX)
    },
    freeze: () => server.freeze(),
    kill: () => server.kill(),
    async comeBack(way: Way) {
      if (way === 'frozen') server.thaw()
      else {
        await server.kill()
        server = await startValkey({ port })
      }
    },
    [Symbol.asyncDispose]: () => server.kill(),
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function judgeValkey(
  world: World,
  server: Awaited<ReturnType<typeof startReturningValkey>>,
  way: Way,
): Promise<Cell> {
  const load = startKnown(world)
  await pause(500)
  await takeAway(server, way)
  const goneMs = performance.now()
  await pause(world.awayMs)
  const backMs = performance.now()
  await server.comeBack(way)
  const upMs = performance.now()
  const recoveryMs = await waitUntil(
    async () => (await world.line.models(world.keys[0] ?? '')).status === 200,
    2 * RECOVERY_MS_MAX,
  )
  // What was held when the server came back must be let in too.
  await pause(HELD_MS_MAX - HELD_MS_MIN)
  await load.stop()
  const during = within(load, goneMs, backMs)
  const refused = load.exchanges.filter(({ status }) => status !== 200)
  const waits = refused.map(({ begunMs, endedMs }) => endedMs - begunMs)
  const held =
    during.length >= world.keys.length &&
    during.every(({ status }) => status === 503) &&
    refused.every((each) => each.status === 503 && codeOf(each) === 'rate_limit_unavailable') &&
    waits.every((waitMs) => waitMs >= HELD_MS_MIN && waitMs <= HELD_MS_MAX) &&
    load.broken.length === 0 &&
    recoveryMs <= RECOVERY_MS_MAX &&
    world.api.isRunning()
  const waited = `waits p50 ${Math.round(percentile(waits, 0.5))}ms`
  const told = `known ${summary(during)}; ${waited}; up after ${Math.round(upMs - backMs)}ms`
  return { server: 'Valkey', way, held, recoveryMs, told }
}

function show({ server, way, held, recoveryMs, told }: Cell): void {
  const name = `${server} ${way}`.padEnd(19)
  console.log(`${held ? 'holds' : 'FAILS'}  ${name}  back in ${Math.round(recoveryMs)}ms  ${told}`)
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { soak: { type: 'boolean', default: false } } })
  await using server = await startPostgres()
  await using valkey = await startReturningValkey()
  await using postgres = openPostgres(server.url)
  await using replicas = await startReplicas({
    count: 1,
    databaseUrl: server.url,
    valkeyUrls: [valkey.url],
    plans: { ample: { models: 'all', limits: limitsOf({}) } },
  })
  const [api] = replicas.apis
  if (api === undefined) throw new Error('there is no api')
  await using line = openLine(api.apiRoot, 64)
  const newKey = async () => {
    const { projectId } = await openOrganization(postgres.database, 'ample')
    return (await openKey(postgres.database, projectId)).text
  }
  const keys = await Promise.all(Array.from({ length: KNOWN }, newKey))
  for (const key of keys) await line.models(key)
  const awayMs = values.soak ? SOAK_AWAY_MS : AWAY_MS
  const world: World = { api, line, postgres, keys, awayMs, newKey }
  const warming = startKnown(world)
  await pause(WARMING_MS)
  await warming.stop()
  const bytesBefore = api.residentBytes()
  const cells: Cell[] = []
  const judged = (cell: Cell) => {
    show(cell)
    cells.push(cell)
  }
  for (const way of WAYS) judged(await judgePostgres(world, server, way))
  for (const way of WAYS) judged(await judgeValkey(world, valkey, way))
  const growth = api.residentBytes() - bytesBefore
  const held = cells.filter((cell) => cell.held).length
  const slowest = Math.max(...cells.map(({ recoveryMs }) => recoveryMs))
  console.log(
    `away: cells=${cells.length} held=${held} recovery_ms_max=${Math.round(slowest)} ` +
      `api_restarts=${api.isRunning() ? 0 : 1} growth_mib=${(growth / 2 ** 20).toFixed(1)}`,
  )
  return held === cells.length && api.isRunning() && growth <= GROWTH_BYTES_MAX
}

process.exitCode = (await main()) ? 0 : 1
