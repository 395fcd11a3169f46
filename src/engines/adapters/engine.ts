import type { ChatRequest } from '../../contract/chat-request.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'
import type { Neutralise } from './neutralise.ts'
import type { PieceBatch } from './piece.ts'

/** What an engine is asked to do: a checked request and what has been decided about it. */
export type Generation = {
  readonly request: ChatRequest
  /** The most that may be generated, reasoning included. */
  readonly outputTokensMax: number
  readonly effort: string | undefined
  /** The same for an organization's requests and no one else's. */
  readonly cacheSalt: string
  /** Applied to every text of the client's that can end up in a prompt. */
  readonly neutralise: Neutralise
}

/** Where an engine is, and what it is known to be able to do at once. */
export type EngineOptions = {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly slots: number
  /** The name by which the engine itself knows the model. */
  readonly modelName: string
  /** One for the process, since it is the process that is busy. */
  readonly readPauses: ReadPauses
}

/** One running inference server. Adapters differ in dialect; what comes out is the same. */
export type Engine = {
  readonly name: string
  readonly slots: number
  /**
   * Begins a generation, which ends after a finish and a usage piece. It and its iteration throw
   * an EngineError, or the signal's own reason.
   */
  generate(generation: Generation, signal: AbortSignal): Promise<AsyncIterable<PieceBatch>>
  /** The exact number of prompt tokens, by the engine's own template and tokenizer. */
  countPrompt(generation: Generation, signal: AbortSignal): Promise<number>
  close(): void
}

/**
 * - `transport`: refused, reset, timed out, or ended early
 * - `status`: answered with a status or an event that says the fault is its own
 * - `refused`: answered that the fault is ours, although the request was valid
 * - `protocol`: sent what its dialect does not allow
 * - `busy`: has no room now
 * - `credentials`: does not accept our key
 * - `context`: says the prompt is longer than its context
 * - `schema`: cannot compile the request's JSON Schema
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

  /** Stands in logs in place of the message, which may quote what the engine said. */
  get code(): string {
    return `engine_${this.kind}`
  }
}
