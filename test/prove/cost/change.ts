import { costOf, median, runRounds, warmUp, type Reports } from '../../../bench/bench.ts'
import { checkTools } from '../../../bench/check-tools.ts'
import type { Target, Workload } from '../../../bench/load.ts'
import { printCosts, WARMING_SECONDS } from './compare.ts'
import type { Figure } from './figures.ts'
import { startHeadrace } from './headrace.ts'
import { directTo, type Engine } from './targets.ts'
import { EVENTS_10K, EVENTS_25K, JSON_REPLY } from './workloads.ts'

/** Of the processor time that the earlier version takes. */
const CHANGE_MAX = 1.03

/** This version and an earlier one in turn: in each round both meet the same machine. */
export async function measureChange(
  engine: Engine,
  root: string,
  rounds: number,
): Promise<Figure[]> {
  await using now = await startHeadrace(engine.port)
  await using before = await startHeadrace(engine.port, { root, name: 'before' })
  await checkTools(directTo(engine))
  for (const target of [before, now]) await warmUp(target, engine.pid, WARMING_SECONDS)
  const workloads = [JSON_REPLY, EVENTS_10K, EVENTS_25K]
  const series = workloads.map((workload) => ({ workload, targets: [before, now], rounds }))
  const reports = await runRounds(series, engine.pid, console.log)
  printCosts(reports, workloads, [before, now])
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
