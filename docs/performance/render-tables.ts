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

/** The generated part of docs/performance.md. */
export function renderTables(record: RunRecord): string {
  return [
    describeRun(record),
    renderTable([['Work', 'Measured', 'Limit', 'Verdict'], ...record.bars.map(barCells)]),
    'Processor time, the median of the rounds:',
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
    `Run of ${date}, commit ${commit}, ${rounds} rounds.`,
    `${cores} cores (${cpu}), ${memory} GiB, Node ${node};`,
    `load average ${loads.map((load) => load.toFixed(1)).join(' before and ')} after.`,
    `${versions.join(', ')}.`,
  ].join('\n')
}

function barCells({ name, value, max, min, unit }: Bar): string[] {
  const limit = max === undefined ? `≥ ${min} ${unit}` : `≤ ${max} ${unit}`
  if (value === null) return [BARS[name] ?? name, ABSENT, limit, 'not measured']
  const isMet = value <= (max ?? Infinity) && value >= (min ?? -Infinity)
  const verdict = isMet ? 'met' : '**missed**'
  return [BARS[name] ?? name, `${showNumber(value)} ${unit}`, limit, verdict]
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
