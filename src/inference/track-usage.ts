import { costOf } from '../tenancy/price.ts'
import type {
  OpenedRecord,
  UsageBasis,
  UsageCounts,
  UsageOutcome,
  UsageRecord,
} from '../tenancy/usage-record.ts'
import type { Admission } from './admit.ts'

export type UsageLog = {
  /** This process, as it stands in the records that it opens. */
  readonly instance: string
  /** An admitted request, until it is settled or released. Returns where to tell how far it is. */
  track(opened: OpenedRecord): (counts: UsageCounts) => void
  /** Resolves when it is written down, or when a client has waited for that long enough. */
  settle(record: UsageRecord, opened: OpenedRecord): Promise<void>
  /** Gives back what a request reserved that used nothing. */
  release(opened: OpenedRecord): void
}

/** The open usage record of an admitted request. Released when disposed of, unless settled. */
export type OpenUsage = Disposable & {
  /** Of the request, in milliseconds of the process's own clock. */
  readonly admittedMs: number
  checkpoint(counts: UsageCounts): void
  settle(end: UsageEnd): Promise<void>
}

/** How a generation ended, in counts of the engine's own. Never content. */
export type UsageEnd = {
  readonly engine: string
  readonly outcome: UsageOutcome
  readonly basis: UsageBasis
  readonly counts: UsageCounts
  /** Since the admission, in milliseconds: until a slot was taken, and until the first piece. */
  readonly queuedMs: number
  readonly firstPieceMs: number | null
}

export function trackUsage({ opened }: Admission, usageLog: UsageLog): OpenUsage {
  if (opened === null) throw new Error('an admission without a usage record')
  const admittedMs = performance.now()
  let settled = false
  const checkpoint = usageLog.track(opened)
  return {
    admittedMs,
    checkpoint,
    settle(end) {
      settled = true
      const durationMs = Math.round(performance.now() - admittedMs)
      return usageLog.settle(recordOf(opened, end, durationMs), opened)
    },
    [Symbol.dispose]() {
      if (!settled) usageLog.release(opened)
    },
  }
}

function recordOf(opened: OpenedRecord, end: UsageEnd, durationMs: number): UsageRecord {
  const { model, price, reserved: _reserved, instance: _instance, ...known } = opened
  if (model === null) throw new Error('a generation of a model that is not served')
  const { counts, ...ended } = end
  const cost = price === null ? 0 : costOf(counts, price)
  return { ...known, model, price, ...ended, ...counts, cost, durationMs, settledAtMs: Date.now() }
}
