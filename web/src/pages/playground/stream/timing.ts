import type { EventKind } from './event-log.ts'

export type Lane = 'reasoning' | 'text' | 'tool'

/** Instants kept for one lane; beyond it the lane is drawn without marks of single events. */
const LANE_INSTANTS_MAX = 20_000

/** When things happened, in milliseconds since the request was sent. */
export type Timing = {
  headersAt: number | null
  firstAt: number | null
  lastAt: number | null
  endedAt: number | null
  longestGap: { readonly from: number; readonly to: number } | null
  keepAlives: number
  pieces: number
  readonly lanes: Readonly<Record<Lane, number[]>>
}

export function emptyTiming(): Timing {
  return {
    headersAt: null,
    firstAt: null,
    lastAt: null,
    endedAt: null,
    longestGap: null,
    keepAlives: 0,
    pieces: 0,
    lanes: { reasoning: [], text: [], tool: [] },
  }
}

export function noteEvent(timing: Timing, kind: EventKind, at: number): void {
  if (kind === 'keep-alive') timing.keepAlives += 1
  if (kind !== 'reasoning' && kind !== 'text' && kind !== 'tool') return
  timing.pieces += 1
  timing.firstAt ??= at
  const from = timing.lastAt
  const gap = timing.longestGap
  if (from !== null && at - from > (gap === null ? 0 : gap.to - gap.from))
    timing.longestGap = { from, to: at }
  timing.lastAt = at
  const lane = timing.lanes[kind]
  if (lane.length < LANE_INSTANTS_MAX) lane.push(at)
}

/** Completion tokens per second from the first token to the last. */
export function tokensPerSecond(
  { firstAt, lastAt }: Timing,
  completionTokens: number,
): number | null {
  if (firstAt === null || lastAt === null || lastAt - firstAt < 1) return null
  return (completionTokens * 1000) / (lastAt - firstAt)
}
