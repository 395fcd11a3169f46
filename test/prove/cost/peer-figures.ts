import { median, type Reports } from '../../../bench/bench.ts'
import type { Workload } from '../../../bench/load.ts'
import { MILLISECOND_MICROS, type Figure } from './figures.ts'
import {
  EVENTS_10K,
  EVENTS_25K,
  FIRST_BYTE_1000,
  JSON_500,
  JSON_500_PACED,
  JSON_REPLY,
  PROMPT_200KB,
} from './workloads.ts'

const HEADRACE = 'headrace'

/** At most so many times what the other costs. */
const TIMES_MAX: readonly (readonly [Workload, other: string, max: number])[] = [
  [JSON_REPLY, 'sglang-router', 2],
  [JSON_REPLY, 'nginx', 8],
  [JSON_500, 'sglang-router', 2],
  [JSON_500_PACED, 'sglang-router', 2],
  [EVENTS_10K, 'sglang-router', 1.1],
  [EVENTS_25K, 'sglang-router', 1.1],
]

/** The other costs at least so many times as much for a JSON request. */
const TIMES_MIN: readonly (readonly [other: string, min: number])[] = [
  ['litellm', 60],
  ['portkey', 8],
]

const FIRST_P50_MS_MAX = 1
const FIRST_P99_MS_MAX = 20
const IDLE_KIB_MAX = 20
const PROMPT_MS_MAX = 1

/** The bars of `--peers`. What could not be measured is not a number. */
export function peerFigures(
  near: Reports,
  slow: Reports,
  idle: ReadonlyMap<string, number>,
): Figure[] {
  const cost = (reports: Reports, workload: Workload, name: string) =>
    reports.cost(workload, { name })
  const times = TIMES_MAX.map(([workload, other, max]) => ({
    name: `${workload.name}_of_${other}`,
    value: cost(near, workload, HEADRACE) / cost(near, workload, other),
    max,
    unit: 'x',
  }))
  const gateways = TIMES_MIN.map(([other, min]) => ({
    name: `${other}_of_headrace`,
    value: cost(slow, JSON_REPLY, other) / cost(slow, JSON_REPLY, HEADRACE),
    min,
    unit: 'x',
  }))
  const promptMs = cost(near, PROMPT_200KB, HEADRACE) / MILLISECOND_MICROS
  const idleKib = idle.get(HEADRACE) ?? Number.NaN
  return [
    ...times,
    { name: 'first_p50', value: firstAddedMs(near, 'p50'), max: FIRST_P50_MS_MAX, unit: 'ms' },
    { name: 'first_p99', value: firstAddedMs(near, 'p99'), max: FIRST_P99_MS_MAX, unit: 'ms' },
    { name: 'idle_stream', value: idleKib, max: IDLE_KIB_MAX, unit: 'KiB' },
    { name: PROMPT_200KB.name, value: promptMs, max: PROMPT_MS_MAX, unit: 'ms' },
    ...gateways,
  ]
}

function firstAddedMs(reports: Reports, rank: 'p50' | 'p99'): number {
  const of = (name: string) =>
    median(reports.of(FIRST_BYTE_1000, { name }).map((report) => report.first_us[rank]))
  return (of(HEADRACE) - of('direct')) / MILLISECOND_MICROS
}
