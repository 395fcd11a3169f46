import { FINISH_REASONS, type FinishReason } from '../../contract/chat-response.ts'
import type { Bytes, BodyReader } from '../wire/byte-source.ts'
import type { ReadPauses } from '../wire/read-pauses.ts'
import { isObject } from '../../lib/is-object.ts'
import { ChunkReader, type ChunkHandler } from './chunk-reader.ts'
import { EngineError, type TokenEstimate } from './engine.ts'
import type { PieceBatch, TokenCounts } from './piece.ts'
import { JsonBlanks } from './output/json-blanks.ts'
import { PieceOutput } from './output/piece-output.ts'
import { countOf, countsOf, type Dialect, type WireChunk, type WireToolCall } from './wire-chunk.ts'

export type ReadOptions = {
  /** The generation is cut after this many tool calls. */
  readonly toolCallsMax: number
  /** More text than this means that the engine ignores its output limit. */
  readonly charactersMax: number
  /** The answer ends before the first of them. */
  readonly stopStrings?: readonly string[] | undefined
  readonly estimate?: TokenEstimate | undefined
  /** Whether the output must be JSON, so that the generation is cut if it runs away into blanks. */
  readonly json?: boolean
  /** The pauses between reads after the first tokens; undefined if none are wanted. */
  readonly pauses: ReadPauses | undefined
}

/** Counted for a tool call, which takes some tokens: they also bound the number of calls. */
const CALL_CHARACTERS_MIN = 256

/** Converts an engine's event stream to batches of pieces, one batch per network read. */
export function readPieces(
  bytes: Bytes,
  dialect: Dialect,
  options: ReadOptions,
): AsyncIterable<PieceBatch> {
  return bytes.read(new Reading(bytes, dialect, options))
}

/** The state of reading one stream. */
class Reading implements BodyReader<PieceBatch>, ChunkHandler {
  readonly #bytes: Bytes
  readonly #chunks = new ChunkReader(this)
  readonly dialect: Dialect
  readonly options: ReadOptions
  readonly output: PieceOutput
  progress: TokenCounts | undefined
  usage: TokenCounts | undefined
  finish: FinishReason | undefined
  ended = false
  /** The engine's index and id of each opened call, and its arguments so far. */
  readonly calls: { wireIndex: number; id: string | undefined; text: string }[] = []
  /** Number of trailing newlines of the reasoning, sent only if more reasoning follows. */
  heldNewlines = 0
  reasoningTokens = 0
  answering = false
  blanks: JsonBlanks | undefined

  constructor(bytes: Bytes, dialect: Dialect, options: ReadOptions) {
    this.#bytes = bytes
    this.dialect = dialect
    this.options = options
    this.expectJson()
    const { charactersMax, stopStrings = [] } = options
    const tooMany = () => invalid(this, 'more output than requested')
    this.output = new PieceOutput(charactersMax, stopStrings, tooMany)
    this.output.isMeasured = dialect.usage === 'estimated'
  }

  /** What follows is read as JSON from its start, if JSON was asked for. */
  expectJson(): void {
    this.blanks = this.options.json === true ? new JsonBlanks() : undefined
  }

  take(bytes: Buffer, from: number, to: number): void {
    try {
      this.#chunks.read(bytes, from, to)
    } catch (cause) {
      // A chunk of unexpected shape can cause any error here.
      throw cause instanceof EngineError ? cause : invalid(this, 'a malformed chunk', cause)
    }
  }

  takeBatch(): PieceBatch | undefined {
    const pieces = this.output.take()
    const { pauses } = this.options
    if (pieces === undefined) return undefined
    // The first tokens are never delayed.
    if (pauses !== undefined) this.#bytes.allowPauses(pauses)
    return { pieces, progress: progressOf(this) }
  }

  onChunk(chunk: WireChunk): void {
    readChunk(this, chunk)
  }

  onEndMarker(): void {
    this.dialect.observed.endMarker = true
    end(this)
  }

  isOver(): boolean {
    return this.ended
  }

  onEnd(): void {
    const { engine, observed, end: endsAt } = this.dialect
    if (this.finish !== undefined && endsAt === 'finish') {
      observed.endMarker = false
      end(this)
      return
    }
    throw new EngineError('transport', engine, 'the stream ended before its end marker')
  }
}

/** Engines do not report reasoning during the stream; it is what came before the answer. */
function progressOf(reading: Reading): TokenCounts | undefined {
  const { progress, reasoningTokens, dialect } = reading
  if (progress === undefined && dialect.usage === 'estimated') return estimateOf(reading)
  return progress === undefined || reasoningTokens === 0
    ? progress
    : { ...progress, reasoningTokens }
}

const ESTIMATE_DEFAULT: TokenEstimate = { promptTokens: 0, bytesPerToken: 4 }

function estimateOf({ options, output }: Reading): TokenCounts {
  const { promptTokens, bytesPerToken } = options.estimate ?? ESTIMATE_DEFAULT
  const completionTokens = Math.ceil(output.bytes / bytesPerToken)
  const reasoningTokens = Math.ceil(output.reasoningBytes / bytesPerToken)
  return { promptTokens, cachedTokens: 0, completionTokens, reasoningTokens, isEstimated: true }
}

function readChunk(reading: Reading, chunk: WireChunk): void {
  if (chunk.error !== undefined && chunk.error !== null) throw reportedError(reading, chunk.error)
  reading.progress = reading.dialect.progressOf(chunk) ?? reading.progress
  readChoice(reading, chunk)
  readUsage(reading, chunk)
}

/** The text of the error decides its kind, and is not passed on. */
function reportedError({ dialect }: Reading, error: unknown): EngineError {
  const kind = dialect.errorKindOf(200, JSON.stringify(error))
  return new EngineError(kind, dialect.engine, 'the engine reported an error')
}

function readUsage(reading: Reading, { usage }: WireChunk): void {
  const counts = countsOf(usage)
  if (counts === undefined || !usage) return
  const reasoning = countOf(reading.dialect.reasoningTokensOf(usage, reading.reasoningTokens))
  reading.usage = { ...counts, reasoningTokens: Math.min(reasoning, counts.completionTokens) }
}

/** A stream without a finish or without counts is broken. */
function end(reading: Reading): void {
  if (reading.finish === undefined) throw invalid(reading, 'an end marker without a finish reason')
  const usage = reading.usage ?? progressOf(reading)
  if (usage === undefined) throw invalid(reading, 'an end marker without usage')
  reading.output.add({ type: 'usage', usage })
  reading.ended = true
}

function readChoice(reading: Reading, chunk: WireChunk): void {
  const choice = chunk.choices?.[0]
  if (choice === undefined || choice === null) return
  const delta = choice.delta ?? {}
  const reasoning = textOf(reading, reading.dialect.reasoningOf(delta, reading.dialect.observed))
  const content = textOf(reading, delta.content)
  const calls = delta.tool_calls ?? []
  if (reading.finish !== undefined && (reasoning || content || calls.length > 0))
    throw invalid(reading, 'output after the finish reason')
  // Reasoning precedes the answer; later reasoning is counted but not sent.
  if (reasoning && !reading.answering) readReasoning(reading, reasoning)
  if (content) readText(reading, content)
  for (const call of calls) {
    if (reading.finish === undefined) readToolCall(reading, call)
  }
  if (typeof choice.finish_reason === 'string' && reading.finish === undefined)
    finish(reading, finishOf(reading, choice.finish_reason))
}

function readText(reading: Reading, content: string): void {
  reading.answering = true
  reading.output.pushText(content)
  if (reading.output.isStopped) cut(reading, finishOf(reading, 'stop'))
  else if (reading.blanks?.runsAway(content) === true) cut(reading, 'length')
}

/** Drops the newlines that engines send before their end-of-thinking token. */
function readReasoning(reading: Reading, text: string): void {
  if (reading.progress !== undefined) reading.reasoningTokens = reading.progress.completionTokens
  let length = text.length
  while (length > 0 && text[length - 1] === '\n') length -= 1
  const newlines = text.length - length
  reading.output.count(newlines)
  const held = reading.heldNewlines
  reading.heldNewlines = newlines + (length === 0 ? held : 0)
  // Held newlines were counted when they came.
  reading.output.count(length === 0 ? 0 : -held)
  if (length > 0)
    reading.output.push({ type: 'reasoning', text: '\n'.repeat(held) + text.slice(0, length) })
}

/** Engines use indexes and ids differently, so either identifies a call. We assign the index. */
function readToolCall(reading: Reading, call: WireToolCall): void {
  const id = typeof call.id === 'string' && call.id !== '' ? call.id : undefined
  const name = textOf(reading, call.function?.name)
  const wireIndex = typeof call.index === 'number' ? call.index : reading.calls.length - 1
  let index = reading.calls.findLastIndex((known) => known.wireIndex === wireIndex)
  const known = reading.calls[index]
  const another = known !== undefined && name !== '' && id !== undefined && id !== known.id
  if (known === undefined || another) {
    if (name === '') throw invalid(reading, 'a tool call without a name')
    if (reading.calls.length >= reading.options.toolCallsMax) {
      cut(reading, 'tool_calls')
      return
    }
    index = reading.calls.push({ wireIndex, id, text: '' }) - 1
    reading.answering = true
    reading.output.endText()
    reading.expectJson()
    reading.output.count(Math.max(CALL_CHARACTERS_MIN, name.length))
    reading.output.push({ type: 'tool-call', index, name, text: '' })
  }
  const text = textOf(reading, call.function?.arguments)
  if (text !== '') readArguments(reading, index, text)
}

function readArguments(reading: Reading, index: number, text: string): void {
  const call = reading.calls[index]
  if (call === undefined) throw invalid(reading, 'arguments of an unknown tool call')
  call.text += text
  reading.output.push({ type: 'arguments', index, text })
  if (reading.blanks?.runsAway(text) === true) cut(reading, 'length')
}

/**
 * The arguments of a finished call must be a JSON object. An engine may abandon its grammar or have
 * none, and a client would notice that only later, far from the cause. Empty arguments become `{}`.
 */
function finishCalls(reading: Reading): void {
  for (const [index, { text }] of reading.calls.entries()) {
    if (text === '') readArguments(reading, index, '{}')
    else if (!isJsonObject(text))
      throw invalid(reading, 'tool call arguments that are not a JSON object')
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** Ends the generation at a stop string, before a tool call too many, or in JSON that runs away. */
function cut(reading: Reading, reason: FinishReason): void {
  if (reading.finish !== undefined) return
  const counts = progressOf(reading)
  if (counts === undefined) throw invalid(reading, 'more than was asked for, uncounted')
  reading.usage = counts
  finish(reading, reason)
  end(reading)
}

function finish(reading: Reading, reason: FinishReason): void {
  if (reason === 'tool_calls') finishCalls(reading)
  else if (reading.calls.length === 0) reading.output.pushBlanks()
  reading.output.endText()
  // Blanks that are the whole answer can come to a stop string too.
  reading.finish = reading.output.isStopped ? finishOf(reading, 'stop') : reason
  reading.output.add({ type: 'finish', reason: reading.finish })
}

function finishOf(reading: Reading, reported: string): FinishReason {
  const reason = FINISH_REASONS.find((known) => known === reported)
  if (reason === undefined) throw invalid(reading, 'an unknown finish reason')
  const called = reading.calls.length > 0
  if (reason === 'stop' && called) return 'tool_calls'
  return reason === 'tool_calls' && !called ? 'stop' : reason
}

function textOf(reading: Reading, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw invalid(reading, 'a value that is not text')
  return value
}

function invalid(reading: Reading, what: string, cause?: unknown): EngineError {
  return new EngineError('protocol', reading.dialect.engine, `the engine sent ${what}`, cause)
}
