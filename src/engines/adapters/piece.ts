import type { FinishReason } from '../../contract/chat-response.ts'

/** A part of a generation, independent of the engine's wire format. */
export type Piece =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  /**
   * Opens a tool call, with the first part of its arguments. We assign the indexes: 0, 1, 2 … in
   * the order in which calls open.
   */
  | {
      readonly type: 'tool-call'
      readonly index: number
      readonly name: string
      readonly text: string
    }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  | { readonly type: 'usage'; readonly usage: TokenCounts }

/** Counted by the engine, and derived from text only if they are marked as estimated. */
export type TokenCounts = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
  readonly isEstimated?: true
}

/** The pieces of one network read, so that costs are per read, not per token. Never empty. */
export type PieceBatch = {
  readonly pieces: readonly Piece[]
  /** Token counts so far, if the engine reports them during the stream. */
  readonly progress: TokenCounts | undefined
}

/** The next batch comes after the promise that is returned, if one is. */
export type OnBatch = (batch: PieceBatch) => Promise<void> | undefined

/**
 * Runs a generation and passes its batches on; resolves after the last one. What `onBatch` throws
 * ends the generation. Calls cost less than iterations, for every token of every generation.
 */
export type GenerationStream = (onBatch: OnBatch) => Promise<void>
