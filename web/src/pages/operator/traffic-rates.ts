import type { OperatorOverview } from '../../api/routes.ts'

export type Traffic = NonNullable<OperatorOverview['traffic']>
export type Reading = { readonly at: number; readonly traffic: Traffic }

/** Rates are those of the last minute: shorter ones jump, longer ones come too late. */
const WINDOW_MS = 60_000

/** The readings of the window, with a new one. A process that started or stopped begins anew. */
export function addReading(readings: readonly Reading[], reading: Reading): readonly Reading[] {
  const last = readings.at(-1)
  if (last === undefined) return [reading]
  if (reading.at <= last.at) return readings
  const before = last.traffic
  const { requests, output_tokens: tokens, processes } = reading.traffic
  const isContinued =
    processes === before.processes && requests >= before.requests && tokens >= before.output_tokens
  if (!isContinued) return [reading]
  return [...readings.filter(({ at }) => at >= reading.at - WINDOW_MS), reading]
}

export type Rates = {
  readonly requests: number
  readonly outputTokens: number
  /** Refusals of the window, the most frequent first. */
  readonly refusals: readonly { readonly code: string; readonly count: number }[]
}

/** Per second, between the first and the last reading; undefined until there are two. */
export function ratesOf(readings: readonly Reading[]): Rates | undefined {
  const [first, last] = [readings[0], readings.at(-1)]
  if (first === undefined || last === undefined || first === last) return undefined
  const seconds = (last.at - first.at) / 1000
  const refusals = Object.entries(last.traffic.refusals)
    .map(([code, count]) => ({ code, count: count - (first.traffic.refusals[code] ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
  return {
    requests: (last.traffic.requests - first.traffic.requests) / seconds,
    outputTokens: (last.traffic.output_tokens - first.traffic.output_tokens) / seconds,
    refusals,
  }
}
