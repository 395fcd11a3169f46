// Kills of every process under load: nothing that a client saw is lost, billed twice or too much.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { resyncSpending } from '../../src/store/ledger/resync-spending.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { type Valkey } from '../../src/store/valkey/valkey.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { connectValkey } from '../harness/valkey.ts'
import { startFailingCluster, type FailingCluster } from '../harness/valkey-failover.ts'
import { exchange, type Exchange } from './metering/client.ts'
import { requestOf, startCountingEngine, type CountingEngine } from './metering/engine.ts'
import type { Work } from './metering/engine-process.ts'
import { judge, type Attempt, type Outage, type Verdict } from './metering/judge.ts'
import { judgeSums, readBooked, readRows } from './metering/ledger.ts'
import { settled } from './metering/metered.ts'
import {
  startApiVictim,
  startWorkerVictim,
  type ApiVictim,
  type Settings,
  type Victim,
} from './metering/processes.ts'
import { modelOn, openCustomer, writeSettings, type Customer } from './metering/world.ts'

const ENGINE = 'counting'
const KILLS = 100
const SOAK_KILLS = 1_000
const APIS = 3
const WORKERS = 2
const CUSTOMERS = 4
const LANES = 24
/** Kills of each hundred. Valkey needs seconds to fail over, and is left alone meanwhile. */
const SHARES = { api: 40, worker: 27, postgres: 25, valkey: 8 } as const
const BETWEEN_MS = [250, 450] as const
/** A lane whose api is dead, or that was refused, does not ask again at once. */
const AGAIN_MS = 20
/** How often a server is started that does not stay. */
const STARTS_MAX = 20
/** Shorter than a process lets its lease rest: closed too early, too, must count once. */
const LEASE_SECONDS = 3
/** A checkpoint is due after 32 tokens or a second, and written with the next tick of 100 ms. */
const TICK_MS = 500
/** How long after a failover a process may still write to a server that is gone. */
const RECONNECT_MS = 3_000
const FAULTS_SHOWN = 10

type Kind = keyof typeof SHARES

type World = {
  /** Decides whom to kill and when, and nothing else, so that a seed repeats it. */
  readonly order: Random
  readonly random: Random
  readonly engine: CountingEngine
  readonly customers: readonly Customer[]
  readonly apis: readonly ApiVictim[]
  readonly workers: readonly Victim[]
  readonly postgres: Victim
  readonly cluster: FailingCluster
  readonly outages: { readonly fromMs: number; toMs: number }[]
  readonly killed: Record<Kind, number>
  /** Processes of ours that ended by themselves. */
  readonly died: { count: number }
}

/** The kinds in an order that the seed decides, in the shares that are wanted. */
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

/** Something that can be killed again as soon as it has come back. */
type Target = { back: Promise<void>; kill(): Promise<void> }

function targetOf(victim: Victim): Target {
  const target: Target = {
    back: Promise.resolve(),
    async kill() {
      await victim.kill()
      target.back = startAgain(victim)
    },
  }
  return target
}

/** Started again until it stays: a process that is still dying holds on to the server's memory. */
async function startAgain({ start }: Pick<Victim, 'start'>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await start()
      return
    } catch (error) {
      if (attempt === STARTS_MAX) throw error
      await pause(AGAIN_MS)
    }
  }
}

function valkeyTarget({ cluster, customers, order, outages }: World): Target {
  const target: Target = {
    back: Promise.resolve(),
    kill() {
      const { organizationId } = order.pick(customers)
      const outage = { fromMs: performance.now(), toMs: Infinity }
      outages.push(outage)
      const failOver = async () => {
        await cluster.killPrimaryOf(organizationKeys(organizationId).open)
        outage.toMs = performance.now() + RECONNECT_MS
        await cluster.restore()
      }
      target.back = failOver()
      return Promise.resolve()
    },
  }
  return target
}

/** One kill after the other, each on something that has recovered from the one before. */
async function killAll(world: World, kills: number): Promise<void> {
  const { order, apis, workers, postgres } = world
  const targets: Record<Kind, readonly Target[]> = {
    api: apis.map(targetOf),
    worker: workers.map(targetOf),
    postgres: [targetOf(postgres)],
    valkey: [valkeyTarget(world)],
  }
  for (const kind of orderOf(kills, order)) {
    await pause(order.between(...BETWEEN_MS))
    const target = order.pick(targets[kind])
    await target.back
    await target.kill()
    world.killed[kind] += 1
  }
  await Promise.all(Object.values(targets).flatMap((each) => each.map(({ back }) => back)))
}

type Asked = Omit<Attempt, 'generated'>

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

/** Asks one of the apis after the other until it is told to stop. */
async function runLane(world: World, asked: Asked[], stop: AbortSignal): Promise<void> {
  const { random, apis, customers } = world
  while (!stop.aborted) {
    const { apiRoot } = random.pick(apis)
    const { key } = random.pick(customers)
    const streamed = random.chance(0.85)
    const work = workOf(random)
    if (apiRoot === undefined) await pause(AGAIN_MS)
    else {
      const request = requestOf(modelOn(ENGINE), work, streamed)
      const seen: Exchange = await exchange({ apiRoot, key }, request)
      asked.push({ work, streamed, exchange: seen })
      if (seen.status !== 200) await pause(AGAIN_MS)
    }
  }
}

type FundsFault = { readonly corrected: number; readonly wrong: number }

/** After reconciliation Valkey must have what the books have, and nothing may stay reserved. */
async function judgeFunds(
  postgres: Postgres,
  valkey: Valkey,
  customers: readonly Customer[],
): Promise<FundsFault> {
  const corrected = await resyncSpending(postgres.pool, valkey, 0)
  let wrong = 0
  for (const { organizationId } of customers) {
    const { funds } = organizationKeys(organizationId)
    const [spent, reserved] = (await valkey.call('HMGET', [funds, 'spent', 'reserved'])) as string[]
    const booked = await readBooked(postgres.pool, organizationId)
    if (Number(spent) === booked && Number(reserved ?? 0) === 0) continue
    wrong += 1
    console.log(`funds: ${organizationId} spent ${spent} reserved ${reserved} booked ${booked}`)
  }
  return { corrected, wrong }
}

function isRight(verdict: Verdict): boolean {
  const { lost, double, overBilled, underBilled, beyondCheckpoint } = verdict
  return lost + double + overBilled + underBilled + beyondCheckpoint === 0 && verdict.whole > 0
}

async function startWorld(stack: AsyncDisposableStack, seed: number, log: boolean) {
  const server = stack.use(await startPostgres())
  const cluster = stack.use(await startFailingCluster())
  const engine = stack.use(await startCountingEngine())
  const { file } = stack.use(
    await writeSettings([{ name: ENGINE, url: engine.url }], {
      usage: { acknowledged_replicas: 1 },
      worker: { health_port: 0, lease_seconds: LEASE_SECONDS, poll_seconds: 0.1 },
    }),
  )
  const postgres = stack.use(openPostgres(server.url))
  const customers: Customer[] = []
  while (customers.length < CUSTOMERS) customers.push(await openCustomer(postgres))
  const onLog = (line: string) => void (log && !line.includes('"level":30') && console.log(line))
  const stores = { databaseUrl: server.url, valkeyUrls: cluster.urls }
  const died = { count: 0 }
  const settings: Settings = { ...stores, file, onLog, onDeath: () => (died.count += 1) }
  const apis = await Promise.all(Array.from({ length: APIS }, () => startApiVictim(settings)))
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWorkerVictim(settings)),
  )
  for (const victim of [...apis, ...workers]) stack.use(victim)
  const killed = { api: 0, worker: 0, postgres: 0, valkey: 0 }
  const random = createRandom(seed + 1)
  const parts = {
    order: createRandom(seed),
    random,
    engine,
    customers,
    apis,
    workers,
    cluster,
    outages: [],
    died,
    killed,
  }
  const world: World = { ...parts, postgres: server }
  return { world, postgres }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      kills: { type: 'string' },
      soak: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
    },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const kills = Number(values.kills ?? (values.soak ? SOAK_KILLS : KILLS))
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  // Each server that is started listens for our end, so as not to outlive it.
  process.setMaxListeners(0)
  await using stack = new AsyncDisposableStack()
  const { world, postgres } = await startWorld(stack, seed, values.log)
  const { engine, cluster, customers, killed, died } = world
  const asked: Asked[] = []
  const stop = new AbortController()
  const lanes = Array.from({ length: LANES }, () => runLane(world, asked, stop.signal))
  await killAll(world, kills)
  stop.abort()
  await Promise.all(lanes)
  await using valkey = await connectValkey(cluster.urls)
  await settled(valkey)
  const rows = await readRows(postgres.pool)
  const attempts = asked.map((each) => ({
    ...each,
    generated: engine.generated(each.work.prompt) ?? 0,
  }))
  const outages: readonly Outage[] = world.outages
  const verdict = judge(attempts, rows, outages, TICK_MS)
  const sums = await judgeSums(postgres.pool)
  const funds = await judgeFunds(postgres, valkey, customers)
  for (const fault of [...verdict.faults, ...sums].slice(0, FAULTS_SHOWN)) console.log(fault)
  const { api, worker, postgres: database, valkey: failedOver } = killed
  console.log(
    `kill: kills=${api + worker + database + failedOver} api=${api} worker=${worker} ` +
      `postgres=${database} valkey=${failedOver} requests=${attempts.length} ` +
      `rows=${rows.length} whole=${verdict.whole} interrupted=${verdict.interrupted} ` +
      `unanswered=${verdict.unanswered} lost=${verdict.lost} double=${verdict.double} ` +
      `over_billed=${verdict.overBilled} under_billed=${verdict.underBilled} ` +
      `beyond_checkpoint=${verdict.beyondCheckpoint} lacked_max=${verdict.lackedMax} ` +
      `unrecorded=${verdict.unrecorded} let_go=${verdict.letGo} ` +
      `wrong_sums=${sums.length} spent_corrected=${funds.corrected} wrong_funds=${funds.wrong} ` +
      `died=${died.count} seed=${seed}`,
  )
  return isRight(verdict) && died.count === 0 && sums.length === 0 && funds.wrong === 0 ? 0 : 1
}

process.exitCode = await main()
