import type { FinishReason } from '../../contract/chat-response.ts'
import type { CallTrace, EngineTarget } from '../../engines/adapters/engine.ts'
import {
  isSampled,
  renderTraceparent,
  spanIdOf,
  traceIdOf,
} from '../../lib/tracing/trace-context.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import type { UsageTrace } from '../track-usage.ts'

/** One generation that an engine was asked for; a retry is a second one. */
export type EngineCall = {
  readonly spanId: string
  readonly target: EngineTarget
  readonly outputTokensMax: number
  readonly sentMs: number
}

/** The first spans of a trace, by their numbers; those of engine calls follow. */
export const SERVER_SPAN = 1
export const ADMIT_SPAN = 2
export const QUEUE_SPAN = 3
const FIRST_CALL_SPAN = 4

/**
 * What a request notes for its trace. Whether spans are created is decided at its end, so a request
 * that is not traced costs a few times and ids. Contains no content.
 */
export class RequestTrace implements CallTrace, UsageTrace {
  readonly traceId: string
  /** Whether it was chosen by its id, before anything was known of it. Engines follow this. */
  readonly sampled: boolean
  readonly startMs = performance.now()
  readonly calls: EngineCall[] = []
  admittedMs: number | undefined
  settledMs: number | undefined
  record: UsageRecord | undefined
  finishReason: FinishReason | undefined

  constructor(requestId: string, sampleRatio: number) {
    this.traceId = traceIdOf(requestId)
    this.sampled = isSampled(this.traceId, sampleRatio)
  }

  admitted(atMs: number): void {
    this.admittedMs = atMs
  }

  sent(target: EngineTarget, outputTokensMax: number): string {
    const spanId = spanIdOf(this.traceId, FIRST_CALL_SPAN + this.calls.length)
    this.calls.push({ spanId, target, outputTokensMax, sentMs: performance.now() })
    return renderTraceparent(this.traceId, spanId, this.sampled)
  }

  settled(record: UsageRecord, finishReason: FinishReason | undefined): void {
    this.settledMs = performance.now()
    this.record = record
    this.finishReason = finishReason
  }
}
