import { quantileBetween, sumOf, type Sample } from './parse-metrics.ts'
import type { ProcessSample } from './sample-process.ts'

const MIB = 2 ** 20

/** One row. What a process does not report is null: its kind has none, or its release is older. */
export function summarise(before: ProcessSample, after: ProcessSample) {
  const { metrics, status } = after
  const rate = (name: string, matches?: (labels: Sample['labels']) => boolean) => {
    const now = sumOf(metrics, name, matches)
    if (now === undefined) return sumOf(metrics, name) === undefined ? null : 0
    const seconds = (after.takenMs - before.takenMs) / 1000
    // A process that was restarted counts from 0 again.
    return round(Math.max(0, now - (sumOf(before.metrics, name, matches) ?? 0)) / seconds)
  }
  const answered = (digit: string) =>
    rate('headrace_requests_total', ({ status: each = '' }) => each.startsWith(digit))
  const gauge = (name: string, scale = 1) => {
    const value = sumOf(metrics, name)
    return value === undefined ? null : round(value * scale)
  }
  const quantileMs = (name: string, share: number) => {
    const seconds = quantileBetween(before.metrics, metrics, name, share)
    return seconds === undefined ? null : round(seconds * 1000)
  }
  const FIRST_TOKEN = 'headrace_time_to_first_token_seconds'
  return {
    process: after.url,
    kind: status.kind,
    version: status.version,
    ok_per_second: answered('2'),
    refused_per_second: answered('4'),
    failed_per_second: answered('5'),
    running: gauge('headrace_slots_in_use'),
    slots: gauge('headrace_engine_slots'),
    tokens_per_second: rate('headrace_tokens_total'),
    first_token_p50_ms: quantileMs(FIRST_TOKEN, 0.5),
    first_token_p95_ms: quantileMs(FIRST_TOKEN, 0.95),
    queue_p95_ms: quantileMs('headrace_queue_seconds', 0.95),
    busy_percent: gauge('headrace_event_loop_busy_ratio', 100),
    memory_mib: gauge('process_resident_memory_bytes', 1 / MIB),
    backlog: gauge('headrace_usage_backlog_records'),
    lag_seconds: gauge('headrace_usage_lag_seconds'),
    leader: status.kind === 'worker' ? sumOf(metrics, 'headrace_worker_leader') === 1 : null,
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
