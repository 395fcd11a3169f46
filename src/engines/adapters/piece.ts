import type { FinishReason } from '../../contract/chat-response.ts'

/** What a generation is made of, whatever the engine's own wire format. */
export type Piece =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  /**
   * Opens a tool call, with as much of its arguments as came along. Indexes are ours: 0, 1, 2 … in
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

/** Counted by the engine, never from text. */
export type TokenCounts = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

/** The pieces of one network read, so that cost is per read and not per token. Never empty. */
export type PieceBatch = {
  readonly pieces: readonly Piece[]
  /** What the engine has generated so far, where it says so as it goes. */
  readonly progress: TokenCounts | undefined
}
