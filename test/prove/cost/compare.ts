import { runRounds, warmUp, type Reports, type Series } from '../../../bench/bench.ts'
import { checkTools } from '../../../bench/check-tools.ts'
import type { Target, Workload } from '../../../bench/load.ts'
import { startNginx } from '../../../bench/nginx.ts'
import { startPortkey } from '../../../bench/portkey.ts'
import type { Figures } from '../../harness/proof.ts'
import { costFigures, firstByteFigures, type Figure, type Others } from './figures.ts'
import { startHeadrace } from './headrace.ts'
import { directTo, startOther, type Engine } from './targets.ts'
import { EVENTS_10K, EVENTS_25K, FIRST_BYTE, JSON_REPLY } from './workloads.ts'

export const WARMING_SECONDS = 30
const SHORT_WARMING_SECONDS = 2

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

/** A line for each workload. */
export function printCosts(
  reports: Reports,
  workloads: readonly Workload[],
  targets: readonly Target[],
): void {
  const row = (name: string, cells: readonly string[]) =>
    console.log(name.padEnd(26) + cells.map((one) => one.padStart(15)).join(''))
  row(
    'median µs of processor',
    targets.map(({ name }) => name),
  )
  for (const workload of workloads) {
    const costs = targets.map((target) => reports.cost(workload, target))
    row(
      `${workload.name} per ${workload.per}`,
      costs.map((cost) => (Number.isNaN(cost) ? '-' : cost.toFixed(1))),
    )
  }
}

/** The short form measures Headrace alone and judges nothing but that every reply is right. */
export async function measureShort(engine: Engine): Promise<Figures> {
  await using headrace = await startHeadrace(engine.port)
  await checkTools(directTo(engine))
  await warmUp(headrace, engine.pid, SHORT_WARMING_SECONDS)
  const workloads = [JSON_REPLY, EVENTS_10K]
  const series = workloads.map((workload) => ({ workload, targets: [headrace], rounds: 1 }))
  const reports = await runRounds(series, engine.pid, console.log)
  const describe = (workload: Workload) => `${reports.cost(workload, headrace).toFixed(1)}us`
  return Object.fromEntries(workloads.map((workload) => [workload.name, describe(workload)]))
}

/** Headrace beside nginx and another gateway, as far as they are available. */
export async function measureCosts(engine: Engine, rounds: number): Promise<Figure[]> {
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
  printCosts(reports, [JSON_REPLY, EVENTS_10K, EVENTS_25K], present)
  return [
    ...costFigures(reports, headrace, { nginx, portkey }),
    ...firstByteFigures(reports, headrace, direct),
  ]
}
