import { runLoad, type LoadReport, type Target, type Workload } from './load.ts'
import { waitForSilence } from './processes.ts'

/**
 * A process is measured as it is after a while, not as it is while it compiles itself: the first
 * thousands of requests cost several times what later ones do.
 */
export async function warmUp(target: Target, enginePid: number, seconds: number): Promise<void> {
  const json = '--model fake-c8-b8 --conns 32 --warmup 0 --duration'
  const streams = '--stream --model fake-c64-d20 --conns 100 --warmup 0 --duration'
  for (const line of [json, streams])
    await runLoad(target, { load: `${line} ${seconds / 2}`.split(' ') }, enginePid)
}

/** Which workload goes to which targets, and in how many of the rounds. */
export type Series = {
  readonly workload: Workload
  readonly targets: readonly Target[]
  readonly rounds: number
}

type Named = { readonly name: string }

export type Reports = {
  of(workload: Named, target: Named): readonly LoadReport[]
  /** Processor microseconds for each request or event, the median over the rounds. */
  cost(workload: Workload, target: Named): number
}

/**
 * Runs everything in turn, round by round, so that whatever else the machine does falls on all
 * targets alike. Who is first changes with the round.
 */
export async function runRounds(
  series: readonly Series[],
  enginePid: number,
  say: (line: string) => void,
): Promise<Reports> {
  const reports = new Map<string, LoadReport[]>()
  const rounds = Math.max(...series.map((one) => one.rounds))
  for (let round = 0; round < rounds; round += 1) {
    for (const { workload, targets, rounds: wanted } of series) {
      if (round >= wanted) continue
      const turn = round % 2 === 0 ? targets : targets.toReversed()
      for (const target of turn) {
        await waitForSilence(enginePid)
        const report = await runLoad(target, workload, enginePid)
        if (Number.isNaN(costOf(workload, report)))
          throw new Error(`${target.name}: nothing came back while ${workload.name} was measured`)
        const key = `${workload.name} ${target.name}`
        reports.set(key, [...(reports.get(key) ?? []), report])
        say(`round ${round + 1}: ${describe(workload, target, report)}`)
      }
    }
  }
  return reportsBy((workload, target) => reports.get(`${workload.name} ${target.name}`) ?? [])
}

/** The rounds of both, one after the other. */
export function joinReports(first: Reports, second: Reports): Reports {
  return reportsBy((workload, target) => [
    ...first.of(workload, target),
    ...second.of(workload, target),
  ])
}

export function reportsBy(of: Reports['of']): Reports {
  return {
    of,
    cost: (workload, target) => median(of(workload, target).map((one) => costOf(workload, one))),
  }
}

function describe(workload: Workload, target: Target, report: LoadReport): string {
  return (
    `${workload.name.padEnd(13)} ${target.name.padEnd(13)} ` +
    `${costOf(workload, report).toFixed(1).padStart(7)} µs/${workload.per} ` +
    `${perSecond(workload, report).toFixed(0).padStart(6)}/s core ${percent(report.cpu_util)} ` +
    `user ${percent(report.cpu_user_share)} first p50 ${report.first_us.p50.toFixed(0)} µs`
  )
}

/** Requests, events or broken streams in a second. */
export function perSecond({ per }: Workload, report: LoadReport): number {
  if (per === 'event') return report.events_per_s
  return per === 'request' ? report.requests_per_s : report.aborted / report.wall_s
}

/** Processor microseconds for one of them; not a number if there was none. */
export function costOf(workload: Workload, report: LoadReport): number {
  const { per } = workload
  if (per === 'event') return report.cpu_us_per_event ?? Number.NaN
  if (per === 'request') return report.cpu_us_per_request ?? Number.NaN
  return report.aborted === 0 ? Number.NaN : (report.cpu_util * 1e6) / perSecond(workload, report)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`.padStart(4)
}
