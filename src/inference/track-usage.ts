import type { FinishReason } from '../contract/chat-response.ts'
import type { Caller } from '../tenancy/caller.ts'
import { shareOf } from '../tenancy/plan.ts'
import { costOf } from '../tenancy/price.ts'
import {
  virtualTimeCost,
  excessOf,
  keptOf,
  limitCounts,
  type VirtualTimeCharge,
  type OpenedRecord,
  type TrackedUsage,
  type UsageBasis,
  type UsageCounts,
  type UsageOutcome,
  type UsageRecord,
} from '../tenancy/usage-record.ts'
import type { Admission } from './admit.ts'

export type UsageLog = {
  /** The id of this process in the usage records that it opens. */
  readonly instance: string
  /** Tracks an admitted request until it ends. */
  track(opened: OpenedRecord): TrackedUsage
  /** Resolves when the record is written, or after the longest time that a client should wait. */
  settle(record: UsageRecord, opened: OpenedRecord, charge: VirtualTimeCharge): Promise<void>
  /** Releases the reservation of a request that used nothing. */
  release(opened: OpenedRecord): void
}

/** Notes what became of the record, for the trace of the request. */
export type UsageTrace = {
  admitted(atMs: number): void
  settled(record: UsageRecord, finishReason: FinishReason | undefined): void
}

/** The open usage record of an admitted request. Disposal releases it unless it was settled. */
export type OpenUsage = Disposable & {
  /** When the request was admitted, by `performance.now()`. */
  readonly admittedMs: number
  checkpoint(counts: UsageCounts): void
  /** An engine's counts, at most what the request asked for and reserved. */
  limit(counts: UsageCounts): LimitedCounts
  settle(end: UsageEnd, finishReason?: FinishReason): Promise<void>
}

export type LimitedCounts = {
  readonly counts: UsageCounts
  /** Tokens that the engine counted beyond them; nobody is charged for these. */
  readonly excess: number
}

/** How a generation ended, with counts as `limit` returns them. Never contains content. */
export type UsageEnd = {
  readonly engine: string
  /** Engines that were tried. */
  readonly attempts: number
  readonly outcome: UsageOutcome
  readonly basis: UsageBasis
  readonly counts: UsageCounts
  /** Time from admission until a slot was taken, and until the first token. */
  readonly queuedMs: number
  readonly firstTokenMs: number | null
  /** The virtual time at which the process started the generation; 0 if unknown. */
  readonly startTag: number
}

export function trackUsage(
  { opened, caller }: Admission,
  usageLog: UsageLog,
  trace?: UsageTrace,
): OpenUsage {
  if (opened === null) throw new Error('an admission without a usage record')
  return new RunningUsage(opened, caller, usageLog, trace)
}

class RunningUsage implements OpenUsage {
  readonly admittedMs = performance.now()
  readonly #tracked: TrackedUsage
  readonly #opened: OpenedRecord
  readonly #share: number
  readonly #usageLog: UsageLog
  readonly #trace: UsageTrace | undefined
  #settled = false

  constructor(opened: OpenedRecord, caller: Caller, usageLog: UsageLog, trace?: UsageTrace) {
    this.#opened = opened
    this.#share = shareOf(caller)
    this.#usageLog = usageLog
    this.#trace = trace
    trace?.admitted(this.admittedMs)
    this.#tracked = usageLog.track(opened)
  }

  checkpoint(counts: UsageCounts): void {
    this.#tracked.checkpoint(limitCounts(counts, this.#opened))
  }

  limit(counts: UsageCounts): LimitedCounts {
    const excess = excessOf(counts, this.#opened)
    return { counts: limitCounts(counts, this.#opened), excess }
  }

  settle(end: UsageEnd, finishReason?: FinishReason): Promise<void> {
    this.#settled = true
    this.#tracked.end()
    const durationMs = Math.round(performance.now() - this.admittedMs)
    const record = recordOf(this.#opened, end, durationMs)
    this.#trace?.settled(record, finishReason)
    const charge = { startTag: end.startTag, cost: virtualTimeCost(end.counts, this.#share) }
    return this.#usageLog.settle(record, this.#opened, charge)
  }

  [Symbol.dispose](): void {
    if (this.#settled) return
    this.#tracked.end()
    this.#usageLog.release(this.#opened)
  }
}

function recordOf(opened: OpenedRecord, end: UsageEnd, durationMs: number): UsageRecord {
  const { model, kept } = keptOf(opened)
  if (model === null) throw new Error('a generation of a model that is not served')
  const { counts, startTag: _startTag, ...ended } = end
  const cost = kept.price === null ? 0 : costOf(counts, kept.price)
  return { ...kept, model, ...ended, ...counts, cost, durationMs, settledAtMs: Date.now() }
}
