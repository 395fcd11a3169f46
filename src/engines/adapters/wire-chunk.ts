import type { EngineErrorKind, Observed } from './engine.ts'
import type { TokenCounts } from './piece.ts'

/** The parts of a stream chunk that are read in any dialect. No member can be trusted. */
export type WireChunk = {
  readonly choices?: readonly WireChoice[] | null
  readonly usage?: WireUsage | null
  readonly error?: unknown
  readonly timings?: {
    readonly cache_n?: number
    readonly prompt_n?: number
    readonly predicted_n?: number
  } | null
}

export type WireChoice = {
  readonly delta?: {
    readonly content?: string | null
    readonly reasoning?: string | null
    readonly reasoning_content?: string | null
    readonly tool_calls?: readonly WireToolCall[] | null
  } | null
  readonly finish_reason?: string | null
}

export type WireToolCall = {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

export type WireUsage = {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
  readonly reasoning_tokens?: number | null
}

/** Differences between the streams of engines. */
export type Dialect = {
  readonly engine: string
  /** What is found out about the server. */
  readonly observed: Observed
  /** Whether a stream without token counts is broken, or its tokens are estimated. */
  readonly usage: 'reported' | 'estimated'
  /** Whether a stream must have an end marker, or may end after its finish reason. */
  readonly end: 'marker' | 'finish'
  reasoningOf(delta: NonNullable<WireChoice['delta']>, observed: Observed): unknown
  /** Token counts that the engine reports during the stream. */
  progressOf(chunk: WireChunk): TokenCounts | undefined
  /** Reasoning tokens of the final count; `counted` is the count when the answer began. */
  reasoningTokensOf(usage: WireUsage, counted: number): number
  /** The kind of an error that was sent as an event. */
  errorKindOf(status: number, body: string): EngineErrorKind
}

/** The counts that have the same names in every dialect. */
export function countsOf(usage: WireUsage | null | undefined): TokenCounts | undefined {
  if (usage === undefined || usage === null) return undefined
  const promptTokens = countOf(usage.prompt_tokens)
  const cachedTokens = countOf(usage.prompt_tokens_details?.cached_tokens ?? 0)
  const completionTokens = countOf(usage.completion_tokens)
  return {
    promptTokens,
    cachedTokens: Math.min(cachedTokens, promptTokens),
    completionTokens,
    reasoningTokens: 0,
  }
}

/** Billing depends on counts, so anything but a count is a malformed chunk. */
export function countOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new TypeError('not a count')
}
