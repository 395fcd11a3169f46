import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { costOf, median, perSecond, type Reports } from '../../../bench/bench.ts'
import type { LoadReport, Target, Workload } from '../../../bench/load.ts'
import { MILLISECOND_MICROS, type Figure } from './figures.ts'

/** What a run with peers found. */
export type Recording = {
  readonly rounds: number
  readonly targets: readonly Target[]
  readonly workloads: readonly Workload[]
  readonly reports: Reports
  readonly idle: ReadonlyMap<string, number>
}

/** Writes all medians and rounds, and where they were measured. */
export function writeRecord(
  file: string,
  { rounds, targets, workloads, reports, idle }: Recording,
  figures: readonly Figure[],
  loadAverages: readonly string[],
): void {
  const record = {
    date: new Date().toISOString().slice(0, 10),
    commit: commitOfCheckout(),
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? '',
      memory_gib: Math.round(totalmem() / 2 ** 30),
      node: process.version,
      load_averages: loadAverages.map(Number),
    },
    rounds,
    targets: targets.map(({ name, version }) => ({ name, version })),
    bars: figures.map(({ value, ...bar }) => ({ ...bar, value: rounded(value) })),
    idle_stream_kib: Object.fromEntries(idle.entries().map(([name, kib]) => [name, rounded(kib)])),
    measurements: workloads.flatMap((workload) =>
      targets.flatMap((target) => {
        const found = reports.of(workload, target)
        return found.length === 0 ? [] : [describeRounds(workload, target, found)]
      }),
    ),
  }
  const text = JSON.stringify(record, undefined, 2)
  // The rounds of one figure fit on a line.
  const short = text.replaceAll(/\[[\s\d.,e+-]+\]/g, (list) => list.replaceAll(/\s+/g, ' '))
  writeFileSync(file, `${short}\n`)
}

function describeRounds(workload: Workload, { name }: Target, found: readonly LoadReport[]) {
  const all = (read: (report: LoadReport) => number) => ({
    median: rounded(median(found.map(read))),
    rounds: found.map(read).map(rounded),
  })
  return {
    workload: workload.name,
    target: name,
    per: workload.per,
    us: all((report) => costOf(workload, report)),
    per_second: all((report) => perSecond(workload, report)),
    core: all((report) => report.cpu_util),
    first_p50_ms: all(({ first_us: { p50 } }) => p50 / MILLISECOND_MICROS),
    first_p99_ms: all(({ first_us: { p99 } }) => p99 / MILLISECOND_MICROS),
  }
}

/** Null in JSON if there is no value. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

function commitOfCheckout(): string {
  const folder = import.meta.dirname
  const options = { cwd: folder, encoding: 'utf8' } as const
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim()
}
