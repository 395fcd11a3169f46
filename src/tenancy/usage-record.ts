import type { CredentialKind } from './plan.ts'
import type { Price } from './price.ts'
import type { Retention } from './retention.ts'

/** Counted by the engine; with the basis `none` estimated. */
export type UsageCounts = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

/** The most tokens that a request can use: what it asked for, and what was reserved. */
export type TokenBounds = {
  /** The longest prompt that its text can produce, within the context. */
  readonly promptTokensMax: number
  readonly outputTokensMax: number
}

/**
 * The counts without what exceeds the bounds, which nobody is charged for. The same object if
 * nothing does.
 */
export function limitCounts(counts: UsageCounts, bounds: TokenBounds): UsageCounts {
  if (excessOf(counts, bounds) === 0) return counts
  const promptTokens = Math.min(counts.promptTokens, bounds.promptTokensMax)
  const completionTokens = Math.min(counts.completionTokens, bounds.outputTokensMax)
  return {
    promptTokens,
    cachedTokens: Math.min(counts.cachedTokens, promptTokens),
    completionTokens,
    reasoningTokens: Math.min(counts.reasoningTokens, completionTokens),
  }
}

/** The tokens that are beyond the bounds. */
export function excessOf(counts: UsageCounts, bounds: TokenBounds): number {
  const prompt = Math.max(0, counts.promptTokens - bounds.promptTokensMax)
  return prompt + Math.max(0, counts.completionTokens - bounds.outputTokensMax)
}

/** An admitted request, until it is settled or released. */
export type TrackedUsage = {
  /** Notes the engine's current counts; cheap. */
  checkpoint(counts: UsageCounts): void
  /** Call before it is settled or released. */
  end(): void
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
export type OpenedRecord = TokenBounds & {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  /** Of a playground credential, which lasts minutes: its account, so that usage sums up. */
  readonly credentialId: string
  /** Where the key's monthly budget counts it; absent if the key has none. */
  readonly limitsId?: string
  readonly model: string | null
  readonly price: Price | null
  // Null in records of a release that did not store them.
  readonly credentialKind: CredentialKind | null
  /** Also null for an API key that is owned by the organization, not by a member. */
  readonly accountId: string | null
  readonly retention: Retention | null
  /** The worst-case cost in micro-units, reserved until the record is settled. */
  readonly reserved: number
  /** The process that runs the request. */
  readonly instance: string
  /** Whether its admission counted it as running; absent in records of the release before. */
  readonly counted?: true
}

/** Output is generated token by token, input is read many tokens at a time. */
const OUTPUT_FACTOR = 2

/**
 * What a request adds to the virtual time of its organization for its model. `startTag` is the
 * virtual time at which its process started it: one that is behind it is set to it first, so that
 * an organization that was idle does not return with an advantage. 0 if unknown.
 */
export type VirtualTimeCharge = { readonly startTag: number; readonly cost: number }

type WeighedCounts = Pick<UsageCounts, 'promptTokens' | 'cachedTokens' | 'completionTokens'>

/** Cached tokens cost an engine next to nothing. */
export function virtualTimeCost(counts: WeighedCounts, weight: number): number {
  const { promptTokens, cachedTokens, completionTokens } = counts
  return (Math.max(0, promptTokens - cachedTokens) + OUTPUT_FACTOR * completionTokens) / weight
}

/** `lost`: the process died before the request ended, and the worker closed its record. */
export type UsageOutcome = 'completed' | 'failed' | 'abandoned' | 'lost'

/**
 * `engine`: the engine's final counts; `engine_partial`: its last counts before the stream broke
 * off, or of the prompt if the client left before the first token; `checkpoint`: the last counts
 * that were written before the process died; `none`: the engine reported no counts, and they are 0
 * or an estimate.
 */
export type UsageBasis = 'engine' | 'engine_partial' | 'checkpoint' | 'none'

/** How one request ended: a row of the usage records. */
export type UsageRecord = Omit<
  OpenedRecord,
  'reserved' | 'instance' | 'model' | 'limitsId' | 'counted' | keyof TokenBounds
> &
  UsageCounts & {
    readonly model: string
    // Null in records of a release that did not store them.
    readonly reserved: number | null
    readonly instance: string | null
    /** Engines that were tried; also null if the process died. */
    readonly attempts: number | null
    readonly engine: string | null
    readonly outcome: UsageOutcome
    readonly basis: UsageBasis
    /** In micro-units; 0 if there is no price. */
    readonly cost: number
    readonly queuedMs: number | null
    readonly firstTokenMs: number | null
    readonly durationMs: number | null
    readonly settledAtMs: number
  }

/** What a record keeps of its admission when it is settled. */
export function keptOf(opened: OpenedRecord) {
  const { model, counted: _counted, promptTokensMax: _prompt, ...rest } = opened
  const { outputTokensMax: _output, ...kept } = rest
  return { model, kept }
}

/** The part of a usage record that roll-ups and the ledger need. */
export type CountedUsage = UsageCounts & {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly credentialId: string
  readonly accountId: string | null
  readonly model: string
  readonly outcome: UsageOutcome
  readonly cost: number
}
