import type { ChatRequest } from '../../contract/chat-request.ts'
import type { VocabularyToken } from '../../lib/vocabulary/gguf.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'
import type { CacheSalts } from './cache-salt.ts'
import type { Neutralise } from './neutralise.ts'
import type { PieceBatch } from './piece.ts'

/** The engine that a generation is sent to. */
export type EngineTarget = {
  readonly name: string
  readonly kind: string
  readonly host: string
  readonly port: number
  readonly modelName: string
}

/** The trace that the spans of engines belong to. */
export type CallTrace = {
  /** Notes that the generation is sent; returns the `traceparent` header for it. */
  sent(target: EngineTarget, outputTokensMax: number): string
}

/** A validated request with everything that was decided about it. */
export type Generation = {
  readonly request: ChatRequest
  /** Limit of generated tokens, including reasoning. */
  readonly outputTokensMax: number
  readonly effort: string | undefined
  /** What an engine caches of a prompt is reused only for the same organization. */
  readonly organizationId: string
  /** Prompt tokens as an engine counted them, if it had to before the generation. */
  readonly promptTokens?: number | undefined
  /** Applied to every client text that can end up in a prompt. */
  readonly neutralise: Neutralise
  /** For an engine that reports no counts. */
  readonly estimate?: TokenEstimate | undefined
  /** The answer ends before the first of them, if the model's settings say so. */
  readonly stopStrings?: readonly string[] | undefined
  readonly trace?: CallTrace | undefined
}

/** How tokens are estimated that no engine counts. */
export type TokenEstimate = { readonly promptTokens: number; readonly bytesPerToken: number }

export type EngineOptions = {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly slots: number
  /** The engine's own name of the model. */
  readonly modelName: string
  /** Shared by all engines, since the whole process is busy or not. */
  readonly readPauses: ReadPauses
  /** Without it, nothing that the engine has cached is reused for another request. */
  readonly cacheSalts?: CacheSalts | undefined
  readonly organizationId?: string | undefined
  readonly workers?: Workers | undefined
  /** Which of several ranks of the server it is. */
  readonly rank?: number | undefined
}

/** Whether one URL is one server, or several behind a router. */
export type Workers = 'one' | 'many'

/**
 * What requests rely on and not every server has:
 * - `reasoning`: reasoning is separated from the answer
 * - `tool_choice`: a forced tool call is made, and follows its schema
 * - `json_schema`: the answer follows the schema of the request
 * - `count`: the tokens of a prompt are counted without generating
 * - `abort`: a generation ends when its connection is closed
 * - `context`: a prompt that is too long is refused, not cut
 */
export type Ability = 'reasoning' | 'tool_choice' | 'json_schema' | 'count' | 'abort' | 'context'

/** Declared abilities; the others are found by the probe, or are absent. */
export type Abilities = Readonly<Partial<Record<Ability, boolean>>>

/** Those that requests may ask for, and that people who write requests are told of. */
export type ToldAbilities = Pick<Abilities, 'tool_choice' | 'json_schema' | 'reasoning'>

/** What a server turned out to send. */
export type Observed = {
  reasoningMember?: 'reasoning' | 'reasoning_content'
  /** Whether its last stream ended with an end marker. */
  endMarker?: boolean
}

/**
 * How an engine keeps the cached prompts of organizations apart: by a salt, by slots of which the
 * caller knows the owner, by reusing nothing, or not at all.
 */
export type PromptCache = 'salted' | 'slots' | 'none' | 'shared'

/** For an engine whose cache belongs to its slots: where to generate, and what to reuse. */
export type CacheUse = {
  /** Undefined leaves the choice to the engine. */
  readonly slot: number | undefined
  /** Whether what this slot has cached may be reused. */
  readonly reuse: boolean
}

/** As much of an AbortSignal as a generation needs; an AbortSignal is one. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: StopListener): void
  removeEventListener(type: 'abort', listener: StopListener): void
}

export type StopListener = { handleEvent(): void }

export type GenerateOptions = {
  /** Without it, the prompt cache of an engine with slots is not used. */
  readonly use?: CacheUse | undefined
  /** Called when the whole request has been written to the engine. */
  readonly onSent?: () => void
  /** Called if the engine goes on after the signal; resolves when it has ended. */
  readonly onLeft?: (ended: Promise<void>) => void
}

/** What an engine reports about the requests that it has. */
export type EngineLoad = {
  readonly running: number
  /** Requests that wait inside the engine, but not for their grammar. */
  readonly waiting: number
  /** The part of its cache that running requests use, from 0 to 1. */
  readonly cacheUse?: number | undefined
  /** Requests that it has stopped to make room for others. */
  readonly preempted?: number | undefined
  /** A counter that begins at 0 when the engine starts. */
  readonly served?: number | undefined
}

/** One inference server. Adapters hide the differences between engine kinds. */
export type Engine = {
  readonly name: string
  /** Host and port. Engines with the same one are the same server. */
  readonly server: string
  /** The engine's own name of the model. */
  readonly modelName: string
  readonly slots: number
  readonly promptCache: PromptCache
  /** The only organization that it serves; undefined if it serves all. */
  readonly organizationId?: string | undefined
  readonly workers?: Workers | undefined
  readonly declared: Abilities
  readonly observed: Readonly<Observed>
  can(ability: Ability): boolean
  /** What it is known to have, or to lack. Always the same object; `learn` changes it. */
  readonly known: ToldAbilities
  /** Takes over what the probe has found, for what is not declared. */
  learn(found: Readonly<Partial<Record<Ability, boolean | 'unknown'>>>): void
  /**
   * Starts a generation, which ends with a finish and a usage piece. The call and the iteration
   * throw an EngineError, or the reason of the signal.
   */
  generate(
    generation: Generation,
    signal: StopSignal,
    options?: GenerateOptions,
  ): Promise<AsyncIterable<PieceBatch>>
  /** The exact number of prompt tokens, from the engine's own template and tokenizer. */
  countPrompt(generation: Generation, signal: AbortSignal): Promise<number>
  /** The special tokens of the model as far as the engine reports them; undefined if it cannot. */
  readTokens(signal: AbortSignal): Promise<readonly VocabularyToken[] | undefined>
  /** The ids of a text's tokens, with control tokens parsed as in a prompt. */
  tokenize(text: string, signal: AbortSignal): Promise<readonly number[]>
  /** The number of its slots, from an engine whose cache belongs to them. */
  countSlots(signal: AbortSignal): Promise<number>
  /** The requests that it has, from its metrics. Throws an EngineError if it reports none. */
  readLoad(signal: AbortSignal): Promise<EngineLoad>
  close(): void
}

/**
 * - `connection`: refused, reset or closed before any response
 * - `transport`: timed out, or ended early
 * - `status`: a 5xx status, or an error event of that kind
 * - `refused`: a 4xx status, although the request was valid
 * - `protocol`: output that violates the dialect of the engine
 * - `busy`: no free capacity
 * - `credentials`: our API key was rejected
 * - `model`: the engine does not know the model
 * - `context`: the prompt exceeds the context length
 * - `schema`: the engine cannot compile the JSON Schema of the request
 */
export const ENGINE_ERROR_KINDS = [
  'connection',
  'transport',
  'status',
  'refused',
  'protocol',
  'busy',
  'credentials',
  'model',
  'context',
  'schema',
] as const

export type EngineErrorKind = (typeof ENGINE_ERROR_KINDS)[number]

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly kind: EngineErrorKind
  readonly engine: string

  constructor(kind: EngineErrorKind, engine: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
    this.engine = engine
  }

  /** Logged instead of the message, which may quote the engine. */
  get code(): string {
    return `engine_${this.kind}`
  }
}

/** Undefined if the engine does not offer what is asked; one that is still loading is busy. */
export async function unlessRefused<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (error) {
    const isUnreachable =
      error instanceof EngineError && /^(connection|transport|busy)$/.test(error.kind)
    if (!(error instanceof EngineError) || isUnreachable) throw error
    return undefined
  }
}
