import { renderTable } from '../render-table.ts'
import {
  DIRECT,
  find,
  firstAddedMs,
  isSaturated,
  listTargets,
  showNumber,
  titleOf,
  type Bar,
  type RunRecord,
} from './read-record.ts'

const BARS: Readonly<Record<string, string>> = {
  'json_of_sglang-router': 'JSON, 8 tokens: times sglang-router',
  json_of_nginx: 'JSON, 8 tokens: times nginx',
  'json500_of_sglang-router': 'JSON, 500 tokens at once: times sglang-router',
  'json500_paced_of_sglang-router': 'JSON, 500 tokens in 10 s: times sglang-router',
  'events10k_of_sglang-router': '10,000 events/s: times sglang-router',
  'events25k_of_sglang-router': '25,000 events/s: times sglang-router',
  first_p50: 'first byte added, p50, 1,000 streams',
  first_p99: 'first byte added, p99, 1,000 streams',
  idle_stream: 'memory of an idle stream',
  prompt200k: 'processor time of a prompt of 200 KB',
  litellm_of_headrace: 'JSON, 8 tokens: LiteLLM, times Headrace',
  portkey_of_headrace: 'JSON, 8 tokens: Portkey, times Headrace',
}

const COSTS: Readonly<Record<string, string>> = {
  json: 'JSON, 8 tokens: µs per request',
  json_both: 'JSON, 8 tokens, both cores: µs per request',
  json500: 'JSON, 500 tokens at once: µs per request',
  json500_paced: 'JSON, 500 tokens in 10 s: µs per request',
  prompt200k: 'prompt of 200 KB: µs per request',
  prompt200k_u: 'the same, half of it not English: µs per request',
  events10k: '10,000 events/s: µs per event',
  events25k: '25,000 events/s: µs per event',
  aborts: 'disconnect at the first token: µs per stream',
}

const FIRST_BYTES: Readonly<Record<string, string>> = { first100: '100', first1000: '1,000' }
const ABSENT = '-'

/** With fewer rounds a figure is a sample: one disturbance decides it. */
const ROUNDS_TRUSTED = 5

/** What a reader must know before the first figure. */
export function renderStatus({ date, commit, rounds, bars }: RunRecord): string {
  const run = `${date}, commit ${commit}`
  const missed = bars.filter((bar) => verdictOf(bar) === MISSED).length
  const limits = `It missed ${missed} of ${bars.length} limits.`
  if (rounds >= ROUNDS_TRUSTED) return `Medians of ${rounds} rounds of one run: ${run}. ${limits}`
  const kind = rounds === 1 ? 'one round' : `${rounds} rounds`
  return [
    `**This is a spot check of ${kind}, not a result: ${run}.** Figures vary from round to round,`,
    `and none of these is a median. ${limits}`,
  ].join(' ')
}

/** The tables of docs/performance.md. */
export function renderTables(record: RunRecord): string {
  const basis = record.rounds === 1 ? 'in the one round' : 'the median of the rounds'
  return [
    describeRun(record),
    renderTable([['Work', 'Measured', 'Limit', 'Verdict'], ...record.bars.map(barCells)]),
    `Processor time, ${basis}:`,
    renderTable([['Work', ...listTargets(record).map(titleOf)], ...costRows(record)]),
    'Time that is added before the first byte, in milliseconds, while streams come and go:',
    renderTable([['Streams', 'Through', 'p50', 'p99', 'Core in use'], ...firstByteRows(record)]),
  ].join('\n\n')
}

function describeRun({ date, commit, machine, rounds, targets }: RunRecord): string {
  const { cores, cpu, memory_gib: memory, node, load_averages: loads } = machine
  const versions = targets
    .filter(({ name }) => name !== DIRECT && name !== 'headrace')
    .map(({ name, version }) => `${titleOf(name)} ${version}`)
  return [
    `Run of ${date}, commit ${commit}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}.`,
    `${cores} cores (${cpu}), ${memory} GiB, Node ${node};`,
    `load average ${loads.map((load) => load.toFixed(1)).join(' before and ')} after.`,
    `${versions.join(', ')}.`,
  ].join('\n')
}

function barCells(bar: Bar): string[] {
  const { name, value, max, min, unit } = bar
  const limit = max === undefined ? `≥ ${min} ${unit}` : `≤ ${max} ${unit}`
  const measured = value === null ? ABSENT : `${showNumber(value)} ${unit}`
  return [BARS[name] ?? name, measured, limit, verdictOf(bar)]
}

const MISSED = '**missed**'

function verdictOf({ value, max, min }: Bar): string {
  if (value === null) return 'not measured'
  return value <= (max ?? Infinity) && value >= (min ?? -Infinity) ? 'met' : MISSED
}

function costRows(record: RunRecord): string[][] {
  const rows = Object.entries(COSTS).map(([workload, title]) => [
    title,
    ...listTargets(record).map((target) => {
      const found = find(record, workload, target)
      if (found === undefined) return ABSENT
      const shown = showNumber(found.us.median)
      return isSaturated(found) ? `${shown} (at ${showNumber(found.per_second.median)}/s)` : shown
    }),
  ])
  const idle = listTargets(record).map((target) => {
    const value = record.idle_stream_kib[target]
    return value === undefined ? ABSENT : showNumber(value)
  })
  const both = listTargets(record).map((target) => {
    const found = find(record, 'json_both', target)
    return found === undefined ? ABSENT : showNumber(found.per_second.median)
  })
  return [
    ...rows,
    ['JSON, 8 tokens, both cores: requests/s', ...both],
    ['idle stream: KiB', ...idle],
  ]
}

function firstByteRows(record: RunRecord): string[][] {
  return Object.entries(FIRST_BYTES).flatMap(([workload, streams]) =>
    listTargets(record).flatMap((target) => {
      const p50 = firstAddedMs(record, workload, target, 'first_p50_ms')
      const p99 = firstAddedMs(record, workload, target, 'first_p99_ms')
      const core = find(record, workload, target)?.core.median
      if (p50 === undefined || p99 === undefined || core === undefined) return []
      const share = `${Math.round(core * 100)} %`
      return [[streams, titleOf(target), showNumber(p50), showNumber(p99), share]]
    }),
  )
}
