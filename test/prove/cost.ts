// The processor time of a request and an event, compared with nginx and a gateway; memory.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { costOf, median, runRounds, warmUp, type Reports, type Series } from '../../bench/bench.ts'
import { checkTools } from '../../bench/check-tools.ts'
import { buildTools, startFakeEngine, type Target, type Workload } from '../../bench/load.ts'
import { startNginx } from '../../bench/nginx.ts'
import { startPortkey } from '../../bench/portkey.ts'
import { HAS_TWO_CPUS } from '../../bench/processes.ts'
import { stackFolder } from '../../stack/state.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { costFigures, firstByteFigures, type Figure, type Others } from './cost/figures.ts'
import { startHeadrace } from './cost/headrace.ts'
import { measureIdleStreams, measureSoak } from './cost/memory.ts'
import { printProfiles } from './cost/profile.ts'
import { EVENTS_10K, EVENTS_25K, FIRST_BYTE, JSON_REPLY } from './cost/workloads.ts'

const ROUNDS = 3
const WARMING_SECONDS = 20
const SHORT_WARMING_SECONDS = 2
const SOAK_SECONDS = 600
/** Of the processor time that the earlier version takes. */
const CHANGE_MAX = 1.03
const FOLDER = join(stackFolder, 'bench')

type Engine = Awaited<ReturnType<typeof startFakeEngine>>
type Started = Target & AsyncDisposable

/** Starts something to compare with; undefined, with the reason printed, if that fails. */
async function startOther(
  name: string,
  start: (folder: string, enginePort: number) => Promise<Started>,
  engine: Engine,
): Promise<Started | undefined> {
  try {
    return await start(join(FOLDER, name), engine.port)
  } catch (error) {
    console.log(`${name} is not available: ${error instanceof Error ? error.message : ''}`)
    return undefined
  }
}

/** The engine itself, without a gateway. */
function directTo(engine: Engine): Target {
  return {
    name: 'direct',
    port: engine.port,
    path: '/v1/chat/completions',
    headers: [],
    pids: [engine.pid],
    asksForCounts: false,
  }
}

function seriesOf(headrace: Target, direct: Target, { nginx, portkey }: Others, rounds: number) {
  const near = nginx === undefined ? [headrace] : [nginx, headrace]
  const series: Series[] = [JSON_REPLY, EVENTS_10K, EVENTS_25K].map((workload) => ({
    workload,
    targets: near,
    rounds,
  }))
  series.push({ workload: FIRST_BYTE, targets: [direct, headrace], rounds })
  if (portkey !== undefined) {
    // Its cost is so much higher that one round is enough; it cannot do 25,000 events a second.
    for (const workload of [JSON_REPLY, EVENTS_10K])
      series.push({ workload, targets: [portkey], rounds: 1 })
  }
  return series
}

function printCosts(reports: Reports, targets: readonly Target[]): void {
  const row = (cells: readonly string[]) => console.log(cells.map((one) => one.padEnd(24)).join(''))
  const workloads: readonly Workload[] = [JSON_REPLY, EVENTS_10K, EVENTS_25K]
  row(['median µs of processor', ...workloads.map(({ name, per }) => `${name} per ${per}`)])
  for (const target of targets) {
    const cell = (workload: Workload) => {
      const cost = reports.cost(workload, target)
      return Number.isNaN(cost) ? '-' : cost.toFixed(1)
    }
    row([target.name, ...workloads.map(cell)])
  }
}

/** The short form measures Headrace alone and judges nothing but that every reply is right. */
async function measureShort(engine: Engine): Promise<Figures> {
  await using headrace = await startHeadrace(engine.port)
  await checkTools(directTo(engine))
  await warmUp(headrace, engine.pid, SHORT_WARMING_SECONDS)
  const workloads = [JSON_REPLY, EVENTS_10K]
  const series = workloads.map((workload) => ({ workload, targets: [headrace], rounds: 1 }))
  const reports = await runRounds(series, engine.pid, console.log)
  const describe = (workload: Workload) => `${reports.cost(workload, headrace).toFixed(1)}us`
  return Object.fromEntries(workloads.map((workload) => [workload.name, describe(workload)]))
}

async function measureCosts(engine: Engine, rounds: number): Promise<Figure[]> {
  await using nginx = await startOther('nginx', startNginx, engine)
  await using portkey = await startOther('portkey', startPortkey, engine)
  if (nginx === undefined && portkey === undefined) throw new Error('nothing to compare with')
  await using headrace = await startHeadrace(engine.port)
  const direct = directTo(engine)
  await checkTools(direct)
  for (const target of [portkey, headrace])
    if (target !== undefined) await warmUp(target, engine.pid, WARMING_SECONDS)
  const series = seriesOf(headrace, direct, { nginx, portkey }, rounds)
  const reports = await runRounds(series, engine.pid, console.log)
  const present = [nginx, headrace, portkey].filter((target) => target !== undefined)
  printCosts(reports, present)
  return [
    ...costFigures(reports, headrace, { nginx, portkey }),
    ...firstByteFigures(reports, headrace, direct),
  ]
}

/** This version and an earlier one in turn: in each round both meet the same machine. */
async function measureChange(engine: Engine, root: string, rounds: number): Promise<Figure[]> {
  await using now = await startHeadrace(engine.port)
  await using before = await startHeadrace(engine.port, { root, name: 'before' })
  await checkTools(directTo(engine))
  for (const target of [before, now]) await warmUp(target, engine.pid, WARMING_SECONDS)
  const workloads = [JSON_REPLY, EVENTS_10K, EVENTS_25K]
  const series = workloads.map((workload) => ({ workload, targets: [before, now], rounds }))
  const reports = await runRounds(series, engine.pid, console.log)
  printCosts(reports, [before, now])
  return workloads.map((workload) => {
    const value = changeOf(reports, workload, before, now)
    return { name: `${workload.name}_of_before`, value, max: CHANGE_MAX, unit: 'x' }
  })
}

/** The median of what each pair of neighbours says: the machine's speed changes within a run. */
function changeOf(reports: Reports, workload: Workload, before: Target, now: Target): number {
  const earlier = reports.of(workload, before)
  const ratios = reports
    .of(workload, now)
    .map((report, round) => costOf(workload, report) / costOf(workload, earlier[round]!))
  return median(ratios)
}

async function measureMemory(engine: Engine, soakSeconds: number): Promise<Figure[]> {
  const figures: Figure[] = []
  {
    await using headrace = await startHeadrace(engine.port)
    figures.push(await measureIdleStreams(headrace, engine.pid))
  }
  if (soakSeconds === 0) return figures
  await using headrace = await startHeadrace(engine.port)
  return [...figures, await measureSoak(headrace, engine.pid, soakSeconds)]
}

function loadAverage(): string {
  return loadavg()[0]?.toFixed(1) ?? ''
}

async function prove(run: ProofRun): Promise<Figures> {
  const { profile, before, rounds = ROUNDS, seconds = SOAK_SECONDS } = run.values
  await buildTools()
  await using engine = await startFakeEngine()
  if (profile !== undefined) {
    await printProfiles(engine, [JSON_REPLY, EVENTS_10K, EVENTS_25K])
    return {}
  }
  if (run.short) return await measureShort(engine)
  const loadBefore = loadAverage()
  if (!HAS_TWO_CPUS) console.log('one processor only: the target shares it with the load')
  const figures =
    before === undefined
      ? [
          ...(await measureCosts(engine, Number(rounds))),
          ...(await measureMemory(engine, run.soak ? Number(seconds) : 0)),
        ]
      : await measureChange(engine, before, Number(rounds))
  console.log(`load average ${loadBefore} before and ${loadAverage()} after`)
  for (const { name, value, max, unit } of figures)
    if (!(value <= max)) run.fail(`${name} is ${value.toFixed(2)} ${unit}, over ${max}`)
  return Object.fromEntries(figures.map(({ name, value, unit }) => [name, value.toFixed(2) + unit]))
}

await runProof('cost', prove, {
  profile: { type: 'boolean' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  // Another checkout, with its node_modules, to compare with instead.
  before: { type: 'string' },
})
