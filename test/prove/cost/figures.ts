import { median, type Reports } from '../../../bench/bench.ts'
import type { Target } from '../../../bench/load.ts'
import { EVENTS_10K, EVENTS_25K, FIRST_BYTE, JSON_REPLY } from './workloads.ts'

/** One figure and its bar. */
export type Figure = {
  readonly name: string
  /** Not a number if there was nothing to compare with. */
  readonly value: number
  readonly max?: number
  readonly min?: number
  readonly unit: string
}

export function isMet({ value, max = Infinity, min = -Infinity }: Figure): boolean {
  return value <= max && value >= min
}

export function describeBar({ max, min, unit }: Figure): string {
  return max === undefined ? `at least ${min} ${unit}` : `at most ${max} ${unit}`
}

export type Others = { readonly nginx: Target | undefined; readonly portkey: Target | undefined }

/** Multiples of the cost of nginx, which forwards the same bytes unchanged. */
const NGINX_BARS = [
  { workload: JSON_REPLY, max: 8 },
  { workload: EVENTS_10K, max: 2.4 },
  { workload: EVENTS_25K, max: 1.6 },
]

/** Without nginx: shares of the cost of the other gateway, which cannot do the third. */
const PORTKEY_BARS = [
  { workload: JSON_REPLY, max: 0.25 },
  { workload: EVENTS_10K, max: 0.6 },
]

const FIRST_P50_MS_MAX = 2
const FIRST_P99_MS_MAX = 10
export const MILLISECOND_MICROS = 1000

export function costFigures(reports: Reports, headrace: Target, others: Others): Figure[] {
  const { nginx, portkey } = others
  const [other, bars] = nginx === undefined ? [portkey, PORTKEY_BARS] : [nginx, NGINX_BARS]
  if (other === undefined) return []
  return bars.map(({ workload, max }) => ({
    name: workload.name,
    value: reports.cost(workload, headrace) / reports.cost(workload, other),
    max,
    unit: `x_${other.name}`,
  }))
}

/** What Headrace adds to a direct connection to the engine. */
export function firstByteFigures(reports: Reports, headrace: Target, direct: Target): Figure[] {
  const added = (rank: 'p50' | 'p99') => {
    const of = (target: Target) =>
      median(reports.of(FIRST_BYTE, target).map((report) => report.first_us[rank]))
    return (of(headrace) - of(direct)) / MILLISECOND_MICROS
  }
  return [
    { name: 'first_byte_p50', value: added('p50'), max: FIRST_P50_MS_MAX, unit: 'ms' },
    { name: 'first_byte_p99', value: added('p99'), max: FIRST_P99_MS_MAX, unit: 'ms' },
  ]
}
