import {
  find,
  firstAddedMs,
  isSaturated,
  listTargets,
  showNumber,
  titleOf,
  type RunRecord,
} from './read-record.ts'
import type { Chart, Section } from './render-chart.ts'

/** The charts of docs/performance.md, by the name of their file. */
export function listCharts(record: RunRecord): ReadonlyMap<string, Chart> {
  const cost = (workload: string, title: string, unit: string) =>
    costSection(record, workload, title, unit)
  const request = 'µs of processor per request'
  const event = 'µs of processor per event'
  return new Map([
    [
      'json.svg',
      {
        title: 'JSON replies',
        sections: [
          cost('json', '8 tokens', request),
          cost('json500', '500 tokens, sent as fast as possible', request),
          cost('json500_paced', '500 tokens in 10 seconds', request),
        ],
      },
    ],
    [
      'streams.svg',
      {
        title: 'Streams',
        sections: [
          cost('events10k', '200 streams, 10,000 events per second', event),
          cost('events25k', '500 streams, 25,000 events per second', event),
        ],
      },
    ],
    [
      'prompts.svg',
      {
        title: 'Prompts of 200 KB',
        sections: [
          cost('prompt200k', 'English', request),
          cost('prompt200k_u', 'Half in other languages', request),
        ],
      },
    ],
    [
      'first-byte.svg',
      {
        title: 'Time added before the first byte, 1,000 streams that come and go',
        sections: [
          firstByteSection(record, 'first_p50_ms', 'p50'),
          firstByteSection(record, 'first_p99_ms', 'p99'),
        ],
      },
    ],
    ['idle-streams.svg', { title: 'Memory', sections: [idleSection(record)] }],
  ])
}

function costSection(record: RunRecord, workload: string, title: string, unit: string): Section {
  const rows = listTargets(record).flatMap((target) => {
    const found = find(record, workload, target)
    if (found === undefined) return []
    const note = isSaturated(found)
      ? { note: `(saturated, ${showNumber(found.per_second.median)}/s)` }
      : {}
    return [{ label: titleOf(target), value: found.us.median, ...note }]
  })
  return { title, unit, rows }
}

function firstByteSection(
  record: RunRecord,
  rank: 'first_p50_ms' | 'first_p99_ms',
  title: string,
): Section {
  const rows = listTargets(record).flatMap((target) => {
    const value = firstAddedMs(record, 'first1000', target, rank)
    return value === undefined ? [] : [{ label: titleOf(target), value }]
  })
  return { title, unit: 'ms', rows }
}

function idleSection(record: RunRecord): Section {
  const rows = listTargets(record).flatMap((target) => {
    const value = record.idle_stream_kib[target]
    return value === undefined ? [] : [{ label: titleOf(target), value }]
  })
  return { title: 'An idle stream', unit: 'KiB', rows }
}
