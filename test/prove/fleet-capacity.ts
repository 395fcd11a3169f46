// Many processes use the slots of the same engines as one queue would, and never one too many.
// covers: src/engines/fleet/** src/store/fleet/**
import { startEnvironment, type Environment } from '../harness/environment.ts'
import { slottedRequest, startSlottedEngines, sumOf } from '../harness/fake-engine/slotted.ts'
import { openLine, type Exchange, type Line } from '../harness/clients/http-client.ts'
import { startManyFleets } from '../harness/load/many-fleets.ts'
import { percentile } from '../harness/figures/measure.ts'
import { offer, type Offered } from '../harness/load/offer.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { watchScripts } from './fleet-capacity/watch-scripts.ts'
import { measureReturn } from './fleet-capacity/killed-process.ts'
import { serveByOneQueue, type Arrival } from './fleet-capacity/one-queue.ts'

/**
 * `full` is run by hand: the processes alone need a minute to start on 2 cores. In the short form
 * the loads are those of fleets in this process, which need little of a busy machine.
 */
const SIZES = {
  full: { processes: 16, engines: 8, slots: 16, serviceMs: 3_000, phaseMs: 24_000, warmMs: 6_000 },
  short: { processes: 16, engines: 4, slots: 8, serviceMs: 1_000, phaseMs: 4_000, warmMs: 1_000 },
} as const
type Size = (typeof SIZES)['full' | 'short']

const SHORT_PROCESSES = 3
const LOADS = [0.8, 1.5, 5]
/** So many organizations that what is left free for newcomers is little. */
const CALLERS = 32
/** Of the processes, and how many times the traffic of the others they get. */
const BUSY_SHARE = 0.25
const BUSY_FACTOR = 3
/** The default of `queue_seconds`. */
const WAIT_MAX_MS = 3_000
const CONNECTIONS = 1_000

const GOODPUT_MIN = 0.95
/** On a busy machine, a slot is freed later than the engine has ended. */
const SHORT_GOODPUT_MIN = 0.75
/** What a wait may add to that of one queue, at the lowest load. */
const WAIT_MS_MAX = 100
const RETURN_MS_MAX = 6_000
const SHORT_RETURN_MS_MAX = 15_000
const SEQUENTIAL = 200
/** An admission and a settlement. */
const CALLS_EACH = 2
const HEARTBEAT_MS = 250
/** Heartbeats that the start of a process causes at once. */
const BEATS_SPARE = 4

const MODEL = 'test/slotted'

type Request = Arrival & { readonly process: number; readonly caller: number }

/** Where the loads are sent. */
type Target = {
  readonly size: Size
  readonly send: (request: Request) => Promise<Exchange>
  readonly countExcess: () => Promise<number>
}

/** Random arrivals over the length of a phase. */
function plan(run: ProofRun, { size }: Target, load: number, even: boolean): Request[] {
  const { processes, engines, slots, serviceMs, phaseMs } = size
  const meanGapMs = serviceMs / (engines * slots * load)
  const busy = Math.max(1, Math.floor(processes * BUSY_SHARE))
  const weights = Array.from({ length: processes }, (_, process) =>
    !even && process < busy ? BUSY_FACTOR : 1,
  )
  const turns = weights.flatMap((weight, process) => Array<number>(weight).fill(process))
  const requests: Request[] = []
  const random = () => run.random.between(1, 1_000_000) / 1_000_000
  for (let atMs = 0; atMs < phaseMs; atMs -= meanGapMs * Math.log(random())) {
    const ms = Math.round(serviceMs * (0.5 + random()))
    const caller = run.random.between(0, CALLERS - 1)
    requests.push({ atMs, ms, process: run.random.pick(turns), caller })
  }
  return requests
}

type Measured = {
  readonly goodput: number
  readonly waitP99Ms: number
  readonly idealP99Ms: number
  readonly refused: number
  readonly failed: number
}

/** Compares what the processes did with what one queue would have done. */
function compare(answered: readonly Offered<Request>[], { size }: Target): Measured {
  const { engines, slots, phaseMs, warmMs } = size
  const arrivals = answered.map(({ due }) => due)
  const ideal = serveByOneQueue(arrivals, engines * slots, WAIT_MAX_MS)
  const isCounted = (endMs: number) => endMs >= warmMs && endMs < phaseMs
  const served = answered.filter(({ exchange }) => exchange.status === 200)
  const tookMs = ({ exchange }: Offered<Request>) => exchange.endedMs - exchange.begunMs
  const done = served.filter((each) => isCounted(each.due.atMs + tookMs(each)))
  const wanted = ideal.filter((each) => each !== undefined && isCounted(each.endMs))
  const refused = answered.filter(
    ({ exchange }) => exchange.status === 503 && Number(exchange.headers['retry-after']) >= 1,
  )
  return {
    goodput: done.length / wanted.length,
    waitP99Ms: percentile(
      served.map((each) => tookMs(each) - each.due.ms),
      0.99,
    ),
    idealP99Ms: percentile(
      ideal.flatMap((each) => each?.waitMs ?? []),
      0.99,
    ),
    refused: refused.length,
    failed: answered.length - served.length - refused.length,
  }
}

async function measurePhase(run: ProofRun, target: Target, load: number, even: boolean) {
  const before = await target.countExcess()
  const answered = await offer(plan(run, target, load, even), target.send)
  const excess = (await target.countExcess()) - before
  const measured = compare(answered, target)
  const { goodput, waitP99Ms, idealP99Ms, refused, failed } = measured
  const name = `load ${load}, ${even ? 'even' : 'uneven'}`
  console.log(
    `${name}: ${answered.length} requests, goodput ${(100 * goodput).toFixed(1)} %, ` +
      `p99 wait ${waitP99Ms.toFixed(0)} ms (one queue: ${idealP99Ms.toFixed(0)} ms), ` +
      `${refused} refused, ${failed} failed, ${excess} over-commits`,
  )
  if (excess > 0) run.fail(`${name}: ${excess} requests over-committed an engine`)
  if (failed > 0) run.fail(`${name}: ${failed} requests failed`)
  if (goodput < (run.short ? SHORT_GOODPUT_MIN : GOODPUT_MIN))
    run.fail(`${name}: goodput was ${(100 * goodput).toFixed(1)} % of one queue`)
  if (!run.short && load < 1 && waitP99Ms - idealP99Ms > WAIT_MS_MAX)
    run.fail(`${name}: the p99 wait was ${waitP99Ms.toFixed(0)} ms`)
  return { ...measured, excess }
}

/** One process with spare slots: a request makes no call to Valkey besides its own two. */
async function countCalls(run: ProofRun, environment: Environment, line: Line, key: string) {
  using watch = await watchScripts(environment.valkeyUrls[0] ?? '')
  const body = slottedRequest(MODEL, { ms: 1, prompt: 10, tokens: 1 })
  for (let warming = 0; warming < 5; warming += 1) await line.chat(key, body)
  await watch.settle()
  const before = watch.counts()
  const sinceMs = performance.now()
  for (let sent = 0; sent < SEQUENTIAL; sent += 1) {
    const { status } = await line.chat(key, body)
    if (status !== 200) run.fail(`a request to an idle fleet was answered with ${status}`)
  }
  await watch.settle()
  const after = watch.counts()
  const heartbeats = after.fleet - before.fleet
  const calls = after.organizations - before.organizations
  const heartbeatsMax = Math.ceil((performance.now() - sinceMs) / HEARTBEAT_MS) + BEATS_SPARE
  console.log(`${SEQUENTIAL} requests in turn: ${calls} calls of theirs, ${heartbeats} heartbeats`)
  if (calls > SEQUENTIAL * CALLS_EACH) run.fail(`requests made ${calls} calls to Valkey`)
  if (heartbeats > heartbeatsMax)
    run.fail(`${heartbeats} heartbeats where the interval allows ${heartbeatsMax}`)
  return { calls_each: (calls / SEQUENTIAL).toFixed(2), heartbeats, heartbeats_max: heartbeatsMax }
}

async function measureLoads(run: ProofRun, target: Target): Promise<Figures> {
  const figures: Record<string, string | number> = {}
  let excess = 0
  for (const even of run.short ? [false] : [true, false])
    for (const load of LOADS) {
      const measured = await measurePhase(run, target, load, even)
      const name = `${even ? 'even' : 'uneven'}_${load}`
      figures[name] = `${(100 * measured.goodput).toFixed(1)}%`
      if (load < 1) figures[`${name}_p99`] = `${measured.waitP99Ms.toFixed(0)}ms`
      excess += measured.excess
    }
  return { ...figures, over_commits: excess }
}

async function measureManyFleets(run: ProofRun): Promise<Figures> {
  const size = SIZES.short
  const { processes, engines, slots } = size
  await using fleets = await startManyFleets(processes, { engines, slots, queueMs: WAIT_MAX_MS })
  return await measureLoads(run, {
    size,
    send: ({ process, caller, ms }) => fleets.use(process, `${caller}`, { ms, tokens: 100 }),
    countExcess: () => Promise.resolve(fleets.excess),
  })
}

await runProof('fleet-capacity', async (run) => {
  const size = run.short ? SIZES.short : SIZES.full
  const short = run.short ? await measureManyFleets(run) : {}
  const held = { slots: size.slots, onExcess: 'fail' } as const
  await using engines = await startSlottedEngines(size.engines, held)
  await using environment = await startEnvironment({
    engines: engines.settings,
    models: [{ id: MODEL, engines: engines.settings.map(({ name }) => name) }],
    valkey: 'own',
  })
  await using opened = new AsyncDisposableStack()
  const callers = Array.from({ length: CALLERS }, () => environment.openCaller())
  const keys = (await Promise.all(callers)).map(({ key }) => key)
  const first = await environment.startApi()
  const connect = (apiRoot: string) => opened.use(openLine(apiRoot, CONNECTIONS))
  const firstLine = connect(first.apiRoot)
  const cost = await countCalls(run, environment, firstLine, keys[0] ?? '')
  const others = await environment.startApis((run.short ? SHORT_PROCESSES : size.processes) - 1)
  const otherLines = others.map(({ apiRoot }) => connect(apiRoot))
  const lines = [firstLine, ...otherLines]
  const countExcess = async () => sumOf(await engines.counts(), 'excess')
  const send = ({ process, caller, ms }: Request) => {
    const body = slottedRequest(MODEL, { ms, prompt: 100, tokens: 100 })
    return lines[process]!.chat(keys[caller] ?? '', body)
  }
  const loads = run.short ? short : await measureLoads(run, { size, send, countExcess })
  const killed = { process: first, line: firstLine, slots: size.engines * size.slots }
  const returnMs = await measureReturn(killed, { engines, lines: otherLines, keys, model: MODEL })
  if (!(returnMs <= (run.short ? SHORT_RETURN_MS_MAX : RETURN_MS_MAX)))
    run.fail(`the slots of a killed process were back after ${returnMs.toFixed(0)} ms`)
  const excess = await countExcess()
  if (excess > 0) run.fail(`${excess} requests of processes over-committed an engine`)
  return { ...cost, ...loads, back_after: `${returnMs.toFixed(0)}ms` }
})
