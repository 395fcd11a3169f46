// Kills of every process under load: nothing that a client saw is lost, billed twice or too much.
// covers: src/worker/** src/store/usage/** src/store/ledger/** src/inference/settle.ts
import { setTimeout as pause } from 'node:timers/promises'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { resyncFunds } from '../../src/worker/resync-funds.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { requestOf, startCountingEngine, type Work } from '../harness/fake-engine/counting.ts'
import { meteredOptions, openFundedCaller, waitUntilPosted } from '../harness/load/metered.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { findWrongSums, readPosted, readPostedCost } from '../harness/seed/posted-usage.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { createRandom, type Random } from '../harness/figures/random.ts'
import type { Caller } from '../harness/seed/tenants.ts'
import { exchange, type Exchange } from '../harness/clients/usage-client.ts'
import { startFailingCluster } from '../harness/servers/valkey-failover.ts'
import { connectValkey } from '../harness/servers/valkey.ts'
import { judge, type Outage } from './kill/judge.ts'

const ENGINE = 'counting'
const KILLS = 100
const SOAK_KILLS = 1_000
const APIS = 3
const WORKERS = 2
const CALLERS = 4
const CLIENTS = 24
/** Kills of each hundred. Valkey needs seconds to fail over and is not killed again meanwhile. */
const SHARES = { api: 40, worker: 27, postgres: 25, valkey: 8 } as const
const BETWEEN_MS = [250, 450] as const
/** A client whose api is dead, or that was rejected, waits before its next request. */
const RETRY_MS = 20
const STARTS_MAX = 20
/** Shorter than a process lets its lease rest: a request closed too early must count once, too. */
const LEASE_SECONDS = 3
/** Longer than the lease: the worker closes what the frozen process has open. */
const FROZEN_MS = 5_500
/** Clients have open requests on the process by then. */
const BEFORE_FREEZE_MS = 1_000
/** How long after a failover a process may still write to a server that is gone. */
const RECONNECT_MS = 3_000

type Kind = keyof typeof SHARES

/** A process or server that can be killed again once it has recovered. */
type Target = { recovered: Promise<void>; kill(): Promise<void> }

type Setting = Awaited<ReturnType<typeof startSetting>>

/** The kinds in seeded order, in the shares that are wanted. */
function orderOf(kills: number, random: Random): Kind[] {
  const order: Kind[] = []
  while (order.length < kills) {
    const deck = Object.entries(SHARES).flatMap(([kind, share]) =>
      Array.from({ length: share }, () => kind as Kind),
    )
    while (deck.length > 0) order.push(...deck.splice(random.between(0, deck.length - 1), 1))
  }
  return order.slice(0, kills)
}

function targetOf(killed: Pick<HeadraceProcess, 'kill' | 'start'>): Target {
  const target: Target = {
    recovered: Promise.resolve(),
    async kill() {
      await killed.kill()
      target.recovered = startAgain(killed)
    },
  }
  return target
}

/** Retries the start: the last processes of a killed PostgreSQL still use its shared memory. */
async function startAgain(killed: Pick<HeadraceProcess, 'start'>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await killed.start()
      return
    } catch (error) {
      if (attempt === STARTS_MAX) throw error
      // pacing: a start that failed is tried again after a moment.
      await pause(RETRY_MS)
    }
  }
}

/** Kills the primary that has a caller's open requests. The load continues during the failover. */
function valkeyTarget({ cluster, callers }: Setting, order: Random, outages: Outage[]): Target {
  const target: Target = {
    recovered: Promise.resolve(),
    kill() {
      const { organizationId } = order.pick(callers)
      const outage = { fromMs: performance.now(), toMs: Infinity }
      outages.push(outage)
      const failOver = async () => {
        await cluster.killPrimaryOf(organizationKeys(organizationId).open)
        outage.toMs = performance.now() + RECONNECT_MS
        await cluster.restore()
      }
      target.recovered = failOver()
      return Promise.resolve()
    },
  }
  return target
}

/** One kill after the other, each of a target that has recovered from the one before. */
async function killAll(setting: Setting, kills: number, order: Random) {
  const outages: Outage[] = []
  const killed: Record<Kind, number> = { api: 0, worker: 0, postgres: 0, valkey: 0 }
  const targets: Record<Kind, readonly Target[]> = {
    api: setting.apis.map(targetOf),
    worker: setting.workers.map(targetOf),
    postgres: [targetOf(setting.server)],
    valkey: [valkeyTarget(setting, order, outages)],
  }
  for (const kind of orderOf(kills, order)) {
    // pacing: the time between two kills.
    await pause(order.between(...BETWEEN_MS))
    const target = order.pick(targets[kind])
    await target.recovered
    await target.kill()
    killed[kind] += 1
  }
  await Promise.all(
    Object.values(targets).flatMap((each) => each.map(({ recovered }) => recovered)),
  )
  return { killed, outages }
}

type Sent = { readonly work: Work; readonly exchange: Exchange }

let prompts = 1_000

function workOf(random: Random): Work {
  const tokens = random.between(4, 250)
  prompts += 1
  return {
    prompt: prompts,
    cached: random.between(0, 999),
    tokens,
    reasoning: random.chance(0.3) ? random.between(0, tokens) : 0,
    calls: false,
    everyMs: random.between(10, 40),
  }
}

/** Sends one request after the other, to any of the apis, until it is stopped. */
async function runClient(
  { apis, callers }: Setting,
  random: Random,
  sent: Sent[],
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const api = random.pick(apis)
    const { key } = random.pick(callers)
    const streams = random.chance(0.85)
    const work = workOf(random)
    if (!api.isRunning()) {
      // pacing: a client whose process was killed picks another after a moment.
      await pause(RETRY_MS)
      continue
    }
    const request = requestOf(modelOn(ENGINE), work, streams)
    const seen = await exchange({ apiRoot: api.apiRoot, key }, request)
    sent.push({ work, exchange: seen })
    // pacing: a client that was refused asks again after a moment.
    if (seen.status !== 200) await pause(RETRY_MS)
  }
}

/** Runs clients while `act` is under way, and waits until all they used is posted. */
async function underLoad<Result>(
  setting: Setting,
  random: Random,
  sent: Sent[],
  act: () => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const clients = Array.from({ length: CLIENTS }, () =>
    runClient(setting, random, sent, stop.signal),
  )
  const result = await act()
  stop.abort()
  await Promise.all(clients)
  // The environment's own connection has been idle since before the failovers.
  await using valkey = await connectValkey(setting.cluster.urls)
  await waitUntilPosted(valkey)
  return result
}

/** Freezes each api in turn: a worker closes its requests, and then it settles them itself. */
async function freezeAll({ apis }: Setting): Promise<void> {
  for (const { child } of apis) {
    // time is under test: requests run when a process freezes.
    await pause(BEFORE_FREEZE_MS)
    child.kill('SIGSTOP')
    // time is under test: a process is frozen for longer than its lease.
    await pause(FROZEN_MS)
    child.kill('SIGCONT')
  }
}

async function countClosed({ workers }: Setting): Promise<number> {
  const counts = workers.map((worker) => worker.metric('headrace_usage_closed_total'))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Valkey has the ledger's sums, and nothing stays reserved. */
async function judgeFunds({ environment, callers, cluster }: Setting, fail: ProofRun['fail']) {
  const { postgres } = environment
  await using valkey = await connectValkey(cluster.urls)
  let wrong = 0
  for (const { organizationId } of callers) {
    const { funds } = organizationKeys(organizationId)
    const [spent, reserved] = (await valkey.call('HMGET', [funds, 'spent', 'reserved'])) as string[]
    const cost = await readPostedCost(postgres.pool, organizationId)
    if (Number(spent) === cost && Number(reserved ?? 0) === 0) continue
    wrong += 1
    fail(`funds: ${organizationId} spent ${spent} reserved ${reserved} posted ${cost}`)
  }
  return wrong
}

/** Only a failover may leave something to correct. */
async function resync({ environment, cluster }: Setting): Promise<number> {
  await using valkey = await connectValkey(cluster.urls)
  return (await resyncFunds(environment.postgres.pool, valkey, 0)).corrected
}

async function startSetting(stack: AsyncDisposableStack, engineUrl: string, showsLog: boolean) {
  const server = stack.use(await startPostgres())
  const cluster = stack.use(await startFailingCluster())
  const environment = stack.use(
    await startEnvironment({
      ...meteredOptions([{ name: ENGINE, url: engineUrl }]),
      databaseUrl: server.url,
      valkey: cluster.urls,
      sections: {
        usage: { acknowledged_replicas: 1 },
        worker: { health_port: 0, lease_seconds: LEASE_SECONDS },
      },
      onLog: (line) => void (showsLog && !line.includes('"level":30') && console.log(line)),
    }),
  )
  const callers: Caller[] = []
  while (callers.length < CALLERS) callers.push(await openFundedCaller(environment))
  const apis = await environment.startApis(APIS)
  const workers = Array.from({ length: WORKERS }, () => environment.startWorker())
  return { environment, server, cluster, callers, apis, workers: await Promise.all(workers) }
}

async function prove(run: ProofRun) {
  const kills = Number(run.values['kills'] ?? (run.soak ? SOAK_KILLS : KILLS))
  // Every server that is started listens for our exit, so as not to outlive it.
  process.setMaxListeners(0)
  await using stack = new AsyncDisposableStack()
  const engine = stack.use(await startCountingEngine())
  const setting = await startSetting(stack, engine.url, run.values['log'] !== undefined)
  const { environment, apis, workers } = setting
  // The seed decides what is killed and when; the load has random numbers of its own.
  const load = createRandom(run.seed + 1)
  const sent: Sent[] = []
  const { killed, outages } = await underLoad(setting, load, sent, () =>
    killAll(setting, kills, run.random),
  )
  const corrected = await resync(setting)
  const closedBefore = await countClosed(setting)
  await underLoad(setting, load, sent, () => freezeAll(setting))
  const closed = (await countClosed(setting)) - closedBefore
  if (closed === 0) run.fail('no request of a frozen process was closed')
  const wrongFunds = await judgeFunds(setting, run.fail)

  const records = await readPosted(environment.postgres.pool)
  const attempts = sent.map((each) => ({ ...each, generated: engine.generated(each.work.prompt) }))
  const verdict = judge(attempts, records, outages, run.fail)
  if (verdict.whole === 0) run.fail('no answer was whole')
  const wrongSums = await findWrongSums(environment.postgres.pool)
  for (const wrong of wrongSums) run.fail(wrong)
  const crashes = [...apis, ...workers].reduce((sum, each) => sum + each.crashes, 0)
  if (crashes > 0) run.fail(`${crashes} processes ended unexpectedly`)
  return {
    kills: Object.values(killed).reduce((sum, count) => sum + count, 0),
    ...killed,
    requests: attempts.length,
    records: records.length,
    ...verdict,
    wrong_sums: wrongSums.length,
    frozen: apis.length,
    frozen_closed: closed,
    spent_corrected: corrected,
    wrong_funds: wrongFunds,
    crashes,
  }
}

await runProof('kill', prove, { kills: { type: 'string' }, log: { type: 'boolean' } })
