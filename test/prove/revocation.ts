// Once a revocation or another change is answered, no process acts on the old state any more.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createLimits, type Limits } from '../../src/store/limits/limits.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { CHANGES, KEY_REVOKED, PLANS, type Change } from './admission/changes.ts'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { startReplicas } from './admission/replicas.ts'
import { startSlowWay } from './admission/slow-way.ts'
import { createRandom, type Random } from '../harness/random.ts'

const PROCESSES = 3
const KEYS = 200
const OTHERS = 12
const SOAK_FACTOR = 10
/** Changes that are under way at the same time, each with a caller at every process. */
const AT_ONCE = 6
/** A change comes at any moment of the callers' work. */
const BEFORE_MS_MAX = 60
/** Requests of each caller that must begin after the change was answered. */
const AFTER_MIN = 3
/** Between two requests of a caller: the cores are to do the changes too. */
const PAUSE_MS = 5
const SLOW_TRIALS = 5
/** Enough for a request to get from here to where it waits for the database. */
const ARRIVAL_MS = 50
const FAULTS_SHOWN = 10

type World = {
  readonly postgres: Postgres
  readonly limits: Limits
  readonly lines: readonly Line[]
  readonly random: Random
}

type Tally = {
  changes: number
  requests: number
  /** Begun after the change was answered, and yet treated as before it. */
  late: number
  /** Neither the old answer nor the new one, or the new one too early. */
  wrong: number
  /** Of a colleague whom the change does not concern. */
  disturbed: number
  readonly changeMs: number[]
  /** From the answer to the change until a process was first seen to know of it. */
  readonly noticedMs: number[]
  /** From the answer until the last request began that was treated as before: never above 0. */
  readonly lastOldMs: number[]
}

/** As the operator's commands do it: stored, then told to the limits, then answered. */
async function applyChange(
  { limits }: World,
  apply: Awaited<ReturnType<Change['prepare']>>['apply'],
) {
  const calledMs = performance.now()
  const { raised } = await apply()
  for (const { organizationId, version } of raised)
    await limits.raiseVersion(organizationId, version)
  return { calledMs, answeredMs: performance.now() }
}

async function judgeChange(change: Change, world: World, tally: Tally): Promise<void> {
  const { key, colleague, apply } = await change.prepare(world.postgres.database)
  let moments: Awaited<ReturnType<typeof applyChange>> | undefined
  const isOver = () => moments !== undefined
  const authorization = `Bearer ${key}`
  const work = async (line: Line): Promise<Exchange[]> => {
    const seen: Exchange[] = []
    for (let after = 0; after < AFTER_MIN;) {
      if (isOver()) after += 1
      seen.push(await line.send({ ...change.sent, authorization }))
      await pause(PAUSE_MS)
    }
    return seen
  }
  const working = world.lines.map(work)
  const disturbing = world.lines.map(async (line) => {
    if (colleague === undefined) return
    while (!isOver()) {
      const { status } = await line.models(colleague)
      if (status !== 200) tally.disturbed += 1
      await pause(PAUSE_MS)
    }
  })
  await pause(world.random.between(0, BEFORE_MS_MAX))
  moments = await applyChange(world, apply)
  for (const exchanges of await Promise.all(working)) judgeCaller(change, exchanges, moments, tally)
  await Promise.all(disturbing)
  tally.changes += 1
  tally.changeMs.push(moments.answeredMs - moments.calledMs)
}

function judgeCaller(
  change: Change,
  exchanges: readonly Exchange[],
  { calledMs, answeredMs }: { readonly calledMs: number; readonly answeredMs: number },
  tally: Tally,
): void {
  tally.requests += exchanges.length
  for (const exchange of exchanges) {
    const [isOld, isNew] = [change.isOld(exchange), change.isNew(exchange)]
    const late = exchange.begunMs > answeredMs && !isNew
    const wrong = isOld === isNew || (isNew && exchange.endedMs < calledMs)
    if (late) tally.late += 1
    if (wrong) tally.wrong += 1
    if ((late || wrong) && tally.late + tally.wrong <= FAULTS_SHOWN)
      console.log(`${change.name}: ${exchange.status} ${exchange.text.slice(0, 200)}`)
  }
  const lastOld = exchanges.findLast((exchange) => change.isOld(exchange))
  if (lastOld !== undefined) tally.lastOldMs.push(lastOld.begunMs - answeredMs)
  const firstNew = exchanges.find((exchange) => change.isNew(exchange))
  if (firstNew !== undefined) tally.noticedMs.push(Math.max(0, firstNew.endedMs - answeredMs))
}

/**
 * PostgreSQL has read the key for one request, but its answer is slow to arrive. The key is revoked
 * meanwhile, and then another request comes. Returns how many of those were let in.
 */
async function judgeSlowDatabase(world: World, databaseUrl: string, valkeyUrl: string) {
  await using slow = await startSlowWay(databaseUrl)
  const stores = { databaseUrl: slow.url, valkeyUrls: [valkeyUrl] }
  await using replicas = await startReplicas({ count: 1, ...stores, plans: PLANS })
  await using line = openLine(replicas.apis[0]?.apiRoot ?? '', 8)
  let late = 0
  for (let trial = 0; trial < SLOW_TRIALS; trial += 1) {
    const { key, colleague, apply } = await KEY_REVOKED.prepare(world.postgres.database)
    // Opens the connection that the next request uses, and makes the organization known.
    await line.models(colleague ?? '')
    slow.hold()
    const early = line.models(key)
    await slow.holding()
    await applyChange(world, apply)
    const after = line.models(key)
    await pause(ARRIVAL_MS)
    slow.release()
    await early
    if (!KEY_REVOKED.isNew(await after)) late += 1
  }
  return late
}

async function judgeAll(world: World, factor: number, tally: Tally): Promise<void> {
  for (const change of CHANGES) {
    const count = (change === KEY_REVOKED ? KEYS : OTHERS) * factor
    await forEachLimited(AT_ONCE, Array.from({ length: count }), () =>
      judgeChange(change, world, tally),
    )
    console.log(
      `${change.name}: ${count} times, ${tally.late} late and ${tally.wrong} wrong so far`,
    )
  }
}

function newTally(): Tally {
  const counts = { changes: 0, requests: 0, late: 0, wrong: 0, disturbed: 0 }
  return { ...counts, changeMs: [], noticedMs: [], lastOldMs: [] }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, seed: { type: 'string' } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  await using server = await startPostgres()
  await using store = await startValkey()
  await using valkey = await connectValkey([store.url])
  await using limits = createLimits(valkey)
  await using postgres = openPostgres(server.url)
  const stores = { databaseUrl: server.url, valkeyUrls: [store.url] }
  await using replicas = await startReplicas({ count: PROCESSES, ...stores, plans: PLANS })
  await using lines = new AsyncDisposableStack()
  const world: World = {
    postgres,
    limits,
    lines: replicas.apis.map(({ apiRoot }) => lines.use(openLine(apiRoot, 4 * AT_ONCE))),
    random: createRandom(seed),
  }
  // The first requests of a process take long for reasons of their own.
  await forEachLimited(AT_ONCE, CHANGES, (change) => judgeChange(change, world, newTally()))
  const tally = newTally()
  await judgeAll(world, values.soak ? SOAK_FACTOR : 1, tally)
  const slowLate = await judgeSlowDatabase(world, server.url, store.url)
  console.log(
    `slow database: ${slowLate} of ${SLOW_TRIALS} let in after the revocation was answered`,
  )
  const ms = (list: readonly number[], share: number) => percentile(list, share).toFixed(1)
  const propagation = Math.max(0, ...tally.lastOldMs)
  console.log(
    `revocation: changes=${tally.changes} processes=${PROCESSES} requests=${tally.requests} ` +
      `late=${tally.late + slowLate} wrong=${tally.wrong} disturbed=${tally.disturbed} ` +
      `propagation_ms_max=${propagation.toFixed(1)} change_ms_p99=${ms(tally.changeMs, 0.99)} ` +
      `noticed_ms_p50=${ms(tally.noticedMs, 0.5)} noticed_ms_p99=${ms(tally.noticedMs, 0.99)} ` +
      `seed=${seed}`,
  )
  return tally.late + slowLate + tally.wrong + tally.disturbed === 0
}

process.exitCode = (await main()) ? 0 : 1
