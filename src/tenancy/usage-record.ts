import type { Price } from './price.ts'

/** Counted by the engine, never from text. */
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
 * The usage record of a request from its admission to its settlement. It contains everything that
 * is needed to settle it if its process dies, and nothing of its content: `model` is the id of a
 * served model, or null.
 */
export type OpenedRecord = {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string | null
  readonly price: Price | null
  /** The worst-case cost in micro-units, reserved until the record is settled. */
  readonly reserved: number
  /** The process that runs the request. */
  readonly instance: string
}

/** `lost`: the process died before the request ended, and the worker closed its record. */
export type UsageOutcome = 'completed' | 'failed' | 'abandoned' | 'lost'

/**
 * `engine`: the engine's final counts; `engine_partial`: its last counts before the stream broke
 * off; `checkpoint`: the last counts that were written before the process died; `none`: the engine
 * reported no counts.
 */
export type UsageBasis = 'engine' | 'engine_partial' | 'checkpoint' | 'none'

/** How one request ended: a row of the usage records. */
export type UsageRecord = Omit<OpenedRecord, 'reserved' | 'instance' | 'model'> &
  UsageCounts & {
    readonly model: string
    readonly engine: string | null
    readonly outcome: UsageOutcome
    readonly basis: UsageBasis
    /** In micro-units; 0 if there is no price. */
    readonly cost: number
    readonly queuedMs: number | null
    readonly firstPieceMs: number | null
    readonly durationMs: number | null
    readonly settledAtMs: number
  }

/** The part of a usage record that roll-ups and the ledger need. */
export type CountedUsage = UsageCounts & {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly model: string
  readonly cost: number
}
