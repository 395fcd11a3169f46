import type { ChatRequest } from '../../contract/chat-request.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'
import type { Neutralise } from './neutralise.ts'
import type { PieceBatch } from './piece.ts'

/** A validated request with everything that was decided about it. */
export type Generation = {
  readonly request: ChatRequest
  /** Limit of generated tokens, including reasoning. */
  readonly outputTokensMax: number
  readonly effort: string | undefined
  /** The same for all requests of an organization, and unique to it. */
  readonly cacheSalt: string
  /** Applied to every client text that can end up in a prompt. */
  readonly neutralise: Neutralise
}

export type EngineOptions = {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly slots: number
  /** The engine's own name of the model. */
  readonly modelName: string
  /** Shared by all engines, since the whole process is busy or not. */
  readonly readPauses: ReadPauses
}

/** One inference server. Adapters hide the differences between engine kinds. */
export type Engine = {
  readonly name: string
  readonly slots: number
  /**
   * Starts a generation, which ends with a finish and a usage piece. The call and the iteration
   * throw an EngineError, or the reason of the signal.
   */
  generate(generation: Generation, signal: AbortSignal): Promise<AsyncIterable<PieceBatch>>
  /** The exact number of prompt tokens, from the engine's own template and tokenizer. */
  countPrompt(generation: Generation, signal: AbortSignal): Promise<number>
  close(): void
}

/**
 * - `transport`: connection refused, reset, timed out, or ended early
 * - `status`: a 5xx status, or an error event of that kind
 * - `refused`: a 4xx status, although the request was valid
 * - `protocol`: output that violates the dialect of the engine
 * - `busy`: no free capacity
 * - `credentials`: our API key was rejected
 * - `context`: the prompt exceeds the context length
 * - `schema`: the engine cannot compile the JSON Schema of the request
 */
export type EngineErrorKind =
  | 'transport'
  | 'status'
  | 'refused'
  | 'protocol'
  | 'busy'
  | 'credentials'
  | 'context'
  | 'schema'

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
