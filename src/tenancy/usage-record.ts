import type { Price } from './price.ts'

/** What was counted, by the engine itself and never from text. */
export type UsageCounts = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

export const NOTHING_USED: UsageCounts = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/**
 * A request as it stands in the usage log from its admission to its settlement. It holds all that
 * is needed to settle it if the process that runs it is gone, and never anything of its content:
 * `model` is the id of a model that is served, or null.
 */
export type OpenedRecord = {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string | null
  readonly price: Price | null
  /** What its worst case takes from the balance until it is settled, in micro-units. */
  readonly reserved: number
  /** The process that runs it. */
  readonly instance: string
}

/** `lost`: the process that ran it was gone before it ended; others closed its record. */
export type UsageOutcome = 'completed' | 'failed' | 'abandoned' | 'lost'

/**
 * `engine`: the engine's final counts; `engine_partial`: its last word before the stream broke
 * off; `checkpoint`: the last word that was written down before the process was gone; `none`:
 * the engine never said anything.
 */
export type UsageBasis = 'engine' | 'engine_partial' | 'checkpoint' | 'none'

/** How one request ended: what becomes a row of the ledger. */
export type UsageRecord = Omit<OpenedRecord, 'reserved' | 'instance' | 'model'> &
  UsageCounts & {
    readonly model: string
    readonly engine: string | null
    readonly outcome: UsageOutcome
    readonly basis: UsageBasis
    /** In micro-units; 0 where there is no price. */
    readonly cost: number
    readonly queuedMs: number | null
    readonly firstPieceMs: number | null
    readonly durationMs: number | null
    readonly settledAtMs: number
  }

/** What roll-ups and the ledger need of a usage record. */
export type CountedUsage = UsageCounts & {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string
  readonly cost: number
}
