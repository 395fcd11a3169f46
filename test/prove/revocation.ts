// Once a revocation or another change is answered, no process acts on the old state.
// covers: src/store/tenants/** src/inference/identify.ts src/platform/keys/** src/store/valkey/**
//   src/platform/leaked-keys/**
import { setTimeout as pause } from 'node:timers/promises'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { ROOT } from '../../src/platform/api/dispatch.ts'
import type { Postgres } from '../../src/store/postgres/postgres.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { openLine, type Exchange, type Line } from '../harness/clients/http-client.ts'
import { percentile, waitUntil } from '../harness/figures/measure.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import {
  CHANGES,
  KEY_REVOKED,
  openTarget,
  PLANS,
  secretReported,
  type Change,
  type Target,
} from './revocation/changes.ts'
import { startLaggingPair, startRelay } from './revocation/lagging-failover.ts'
import { startSlowProxy } from './revocation/slow-proxy.ts'

const PROCESSES = 3
const REVOCATIONS = 200
const OTHER_CHANGES = 12
const SOAK_FACTOR = 10
/** Changes that are made at the same time, each with a caller at every process. */
const AT_ONCE = 6
/** A change is made at any moment of the callers' work. */
const BEFORE_MS_MAX = 60
/** Requests of each caller that must begin after the change was answered. */
const AFTER_MIN = 3
/** Between two requests of a caller, because the changes need the cores too. */
const PAUSE_MS = 5
const SLOW_TRIALS = 5
/** Enough for a request to get to where it waits for the database. */
const ARRIVAL_MS = 50

/** Each with a Valkey server that is killed right after the revocation was answered. */
const FAILOVERS = 5
/** How far the replica is behind: far longer than it takes to kill a server. */
const LAG_MS = 300
const FAILOVER_PROCESSES = 2
const TIMEOUT_MS = 15_000

/** A console with ports of its own. */
const SECTIONS = { console: { port: 0, health_port: 0 } } as const

type Setting = {
  readonly run: ProofRun
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly lines: readonly Line[]
}

function newTally() {
  return {
    changes: 0,
    requests: 0,
    /** Begun after the change was answered, and yet treated as before it. */
    late: 0,
    /** Neither the old answer nor the new one, or the new one too early. */
    wrong: 0,
    /** Rejected requests of another key that the change does not concern. */
    disturbed: 0,
    changeMs: [] as number[],
    /** From the answer to the change until a process was first seen to act on it. */
    noticedMs: [] as number[],
    /** From the answer until the last request began that was treated as before: never above 0. */
    lastOldMs: [] as number[],
  }
}

type Tally = ReturnType<typeof newTally>
type Moments = { readonly calledMs: number; readonly answeredMs: number }

/** As the operator's commands do it: stored, then made known to the limits, then answered. */
async function applyChange(
  { valkey, postgres }: Setting,
  change: Change,
  target: Target,
): Promise<Moments> {
  const calledMs = performance.now()
  const { raised } = await change.apply(postgres.database, target)
  for (const each of raised) await raiseVersion(valkey, each)
  return { calledMs, answeredMs: performance.now() }
}

async function judgeChange(setting: Setting, change: Change, tally: Tally): Promise<void> {
  const { run, lines, postgres } = setting
  const target = await openTarget(postgres.database, change)
  let moments: Moments | undefined
  const isOver = () => moments !== undefined
  const calling = lines.map(async (line) => {
    const exchanges: Exchange[] = []
    for (let after = 0; after < AFTER_MIN;) {
      if (isOver()) after += 1
      exchanges.push(
        await line.send({ ...change.sent, authorization: `Bearer ${target.key.text}` }),
      )
      // pacing: how long a caller waits between two requests.
      await pause(PAUSE_MS)
    }
    return exchanges
  })
  const others = lines.map(async (line) => {
    while (change.sparesOthers && !isOver()) {
      const { status } = await line.models(target.otherKey)
      if (status !== 200) tally.disturbed += 1
      // pacing: how long a caller waits between two requests.
      await pause(PAUSE_MS)
    }
  })
  // pacing: the change comes at any moment of the load.
  await pause(run.random.between(0, BEFORE_MS_MAX))
  moments = await applyChange(setting, change, target)
  for (const exchanges of await Promise.all(calling))
    judgeCaller(run, change, exchanges, moments, tally)
  await Promise.all(others)
  tally.changes += 1
  tally.changeMs.push(moments.answeredMs - moments.calledMs)
}

function judgeCaller(
  run: ProofRun,
  change: Change,
  exchanges: readonly Exchange[],
  { calledMs, answeredMs }: Moments,
  tally: Tally,
): void {
  tally.requests += exchanges.length
  for (const exchange of exchanges) {
    const [isOld, isNew] = [change.isOld(exchange), change.isNew(exchange)]
    const late = exchange.begunMs > answeredMs && !isNew
    const wrong = isOld === isNew || (isNew && exchange.endedMs < calledMs)
    if (late) tally.late += 1
    if (wrong) tally.wrong += 1
    if (late || wrong) run.fail(`${change.name}: ${exchange.status} ${exchange.text.slice(0, 200)}`)
  }
  const lastOld = exchanges.findLast((exchange) => change.isOld(exchange))
  if (lastOld !== undefined) tally.lastOldMs.push(lastOld.begunMs - answeredMs)
  const firstNew = exchanges.find((exchange) => change.isNew(exchange))
  if (firstNew !== undefined) tally.noticedMs.push(Math.max(0, firstNew.endedMs - answeredMs))
}

/**
 * PostgreSQL has read the key for one request, but its answer is slow to arrive. The key is revoked
 * meanwhile, and then another request comes. Returns how many of those were admitted.
 */
async function judgeSlowDatabase(setting: Setting, { databaseUrl, valkeyUrls }: Environment) {
  await using slow = await startSlowProxy(databaseUrl)
  const stores = { databaseUrl: slow.url, valkey: valkeyUrls }
  await using environment = await startEnvironment({ ...stores, plans: PLANS })
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, 8)
  let late = 0
  for (let trial = 0; trial < SLOW_TRIALS; trial += 1) {
    const target = await openTarget(setting.postgres.database, KEY_REVOKED)
    // Opens the connection that the next request uses, and makes the organization known.
    await line.models(target.otherKey)
    slow.hold()
    const early = line.models(target.key.text)
    await slow.holding()
    await applyChange(setting, KEY_REVOKED, target)
    const after = line.models(target.key.text)
    // time is under test: nobody sees that a request waits for the same row as another.
    await pause(ARRIVAL_MS)
    slow.release()
    await early
    if (!KEY_REVOKED.isNew(await after)) late += 1
  }
  return late
}

/**
 * Valkey's primary is lost right after a revocation was answered, and a replica takes over that
 * is always a little behind. Returns how many requests were admitted after that.
 */
async function judgeFailover({ run, postgres }: Setting, databaseUrl: string, failovers: number) {
  await using address = await startRelay(0)
  const valkey = [`redis://127.0.0.1:${address.port}`]
  await using first = await startLaggingPair(address, LAG_MS)
  await using environment = await startEnvironment({ databaseUrl, valkey, plans: PLANS })
  const apis = await environment.startApis(FAILOVER_PROCESSES)
  await using opened = new AsyncDisposableStack()
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, 4)))
  let late = 0
  for (let trial = 0; trial < failovers; trial += 1) {
    await using pair = trial === 0 ? undefined : await startLaggingPair(address, LAG_MS)
    const valkeys = pair ?? first
    const { primary, replica } = valkeys
    const target = await openTarget(postgres.database, KEY_REVOKED)
    for (const line of lines) await line.models(target.key.text)
    const { version } = organizationKeys(target.organizationId)
    // A replica that does not know the organization would have its callers read again anyway.
    const isKnown = async () => (await replica.call('EXISTS', [version])) === 1
    await waitUntil('the replica to know the organization', isKnown, TIMEOUT_MS)
    const { raised } = await KEY_REVOKED.apply(postgres.database, target)
    for (const each of raised) {
      const { acknowledged } = await raiseVersion(primary, each)
      if (!acknowledged) run.fail(`failover ${trial}: the revocation was not acknowledged`)
    }
    await valkeys.failOver()
    const requests = [...lines, ...lines, ...lines]
    const answers = await Promise.all(requests.map((line) => line.models(target.key.text)))
    late += answers.filter((answer) => KEY_REVOKED.isOld(answer)).length
    if (!answers.some((answer) => KEY_REVOKED.isNew(answer)))
      run.fail(`failover ${trial}: nothing was rejected for the revoked key`)
  }
  return late
}

await runProof('revocation', async (run) => {
  const factor = run.soak ? SOAK_FACTOR : 1
  await using server = await startPostgres()
  const stores = { databaseUrl: server.url, valkey: 'own' } as const
  await using environment = await startEnvironment({ ...stores, plans: PLANS, sections: SECTIONS })
  await using opened = new AsyncDisposableStack()
  const apis = await environment.startApis(PROCESSES)
  const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, 4 * AT_ONCE)))
  const setting: Setting = {
    run,
    postgres: environment.postgres,
    valkey: environment.valkey,
    lines,
  }
  // The first requests of a process are slow, so they are not measured.
  const managementRoot = new URL((await environment.startConsole()).apiRoot).origin + ROOT
  const changes = [...CHANGES, secretReported(managementRoot)]
  await forEachLimited(AT_ONCE, changes, (change) => judgeChange(setting, change, newTally()))
  const tally = newTally()
  for (const change of changes) {
    const count = (change === KEY_REVOKED ? REVOCATIONS : OTHER_CHANGES) * factor
    await forEachLimited(AT_ONCE, Array.from({ length: count }), () =>
      judgeChange(setting, change, tally),
    )
    const { late, wrong } = tally
    console.log(`${change.name}: ${count} times, ${late} late and ${wrong} wrong so far`)
  }
  const slowLate = await judgeSlowDatabase(setting, environment)
  if (slowLate > 0)
    run.fail(`slow database: ${slowLate} of ${SLOW_TRIALS} admitted after the revocation`)
  const failovers = FAILOVERS * factor
  const failoverLate = await judgeFailover(setting, server.url, failovers)
  if (failoverLate > 0) run.fail(`failover: ${failoverLate} admitted after the revocation`)
  if (tally.disturbed > 0) run.fail(`${tally.disturbed} requests of other keys were rejected`)
  const ms = (list: readonly number[], share: number) => percentile(list, share).toFixed(1)
  return {
    changes: tally.changes,
    processes: PROCESSES,
    requests: tally.requests,
    failovers,
    late: tally.late + slowLate + failoverLate,
    wrong: tally.wrong,
    disturbed: tally.disturbed,
    propagation_ms_max: Math.max(0, ...tally.lastOldMs).toFixed(1),
    change_ms_p99: ms(tally.changeMs, 0.99),
    noticed_ms_p50: ms(tally.noticedMs, 0.5),
    noticed_ms_p99: ms(tally.noticedMs, 0.99),
  }
})
