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
