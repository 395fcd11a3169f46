import { FINISH_REASONS, type FinishReason } from '../../contract/chat-response.ts'
import type { Bytes } from '../wire/byte-source.ts'
import { createChunkReader } from './chunk-reader.ts'
import { EngineError, type EngineErrorKind } from './engine.ts'
import type { Piece, PieceBatch, TokenCounts } from './piece.ts'
import type { WireChunk, WireToolCall, WireUsage } from './wire-chunk.ts'

/** In what the streams of engines differ. Everything else about them is read the same way. */
export type Dialect = {
  readonly engine: string
  reasoningOf(delta: NonNullable<NonNullable<WireChunk['choices']>[number]['delta']>): unknown
  /** Counts that the engine gives along the way. */
  progressOf(chunk: WireChunk): TokenCounts | undefined
  /** Of the final count, the reasoning; `counted` is what came before the answer began. */
  reasoningTokensOf(usage: WireUsage, counted: number): number
  /** What an error that came as an event means. */
  errorKindOf(status: number, body: string): EngineErrorKind
}

export type ReadOptions = {
  /** After this many tool calls the generation is cut. */
  readonly toolCallsMax: number
  /** More text than this cannot be what was asked for: the engine ignores its limit. */
  readonly charactersMax: number
  /** Whether later pieces may wait for others when the process is busy. */
  readonly pausable: boolean
}

/** What has been read of one stream. */
type Reading = {
  readonly dialect: Dialect
  readonly options: ReadOptions
  pieces: OwnPiece[]
  progress: TokenCounts | undefined
  usage: TokenCounts | undefined
  finish: FinishReason | undefined
  ended: boolean
  /** How each opened call is known to the engine, and what came of its arguments so far. */
  readonly calls: { wireIndex: number; id: string | undefined; text: string }[]
  /** Newlines at the end of the reasoning so far, sent only if more reasoning follows. */
  heldNewlines: string
  reasoningTokens: number
  answering: boolean
  characters: number
}

/** Turns an engine's event stream into batches of pieces, one batch for each network read. */
export async function* readPieces(
  bytes: Bytes,
  dialect: Dialect,
  options: ReadOptions,
): AsyncGenerator<PieceBatch, void> {
  const reading = startReading(dialect, options)
  const read = createChunkReader({
    isOver: () => reading.ended,
    onChunk: (chunk) => readChunk(reading, chunk),
    onEndMarker: () => end(reading),
  })
  for await (const parts of bytes) {
    try {
      for (const part of parts) read(part)
    } catch (cause) {
      // Whatever a chunk of another shape breaks here, it is the engine that broke it.
      throw cause instanceof EngineError ? cause : fault(reading, 'what no engine sends', cause)
    }
    if (reading.pieces.length > 0) {
      yield takeBatch(reading)
      // The first pieces are never held back.
      if (options.pausable) bytes.allowPauses()
    }
    if (reading.ended) return
  }
  throw new EngineError('transport', dialect.engine, 'the stream ended before its end marker')
}

function startReading(dialect: Dialect, options: ReadOptions): Reading {
  return {
    dialect,
    options,
    pieces: [],
    progress: undefined,
    usage: undefined,
    finish: undefined,
    ended: false,
    calls: [],
    heldNewlines: '',
    reasoningTokens: 0,
    answering: false,
    characters: 0,
  }
}

function takeBatch(reading: Reading): PieceBatch {
  const batch = { pieces: reading.pieces, progress: progressOf(reading) }
  reading.pieces = []
  return batch
}

/** Along the way engines do not tell the reasoning apart; it is what came before the answer. */
function progressOf({ progress, reasoningTokens }: Reading): TokenCounts | undefined {
  return progress === undefined || reasoningTokens === 0
    ? progress
    : { ...progress, reasoningTokens }
}

function readChunk(reading: Reading, chunk: WireChunk): void {
  if (chunk.error !== undefined && chunk.error !== null) throw reportedError(reading, chunk.error)
  reading.progress = reading.dialect.progressOf(chunk) ?? reading.progress
  readChoice(reading, chunk)
  readUsage(reading, chunk)
}

/** Its own words decide what kind of fault it is, and go no further. */
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

/** The counts that every dialect spells alike; undefined where there are none. */
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

/** A count that money depends on is a count, or the engine's chunk is of no known shape. */
export function countOf(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new TypeError('not a count')
}

/** An end is an end only after a finish and with counts: anything less is a broken stream. */
function end(reading: Reading): void {
  if (reading.finish === undefined) throw fault(reading, 'an end marker without a finish')
  const usage = reading.usage ?? progressOf(reading)
  if (usage === undefined) throw fault(reading, 'an end without usage')
  reading.pieces.push({ type: 'usage', usage })
  reading.ended = true
}

function readChoice(reading: Reading, chunk: WireChunk): void {
  const choice = chunk.choices?.[0]
  if (choice === undefined || choice === null) return
  const delta = choice.delta ?? {}
  const reasoning = textOf(reading, reading.dialect.reasoningOf(delta))
  const content = textOf(reading, delta.content)
  const calls = delta.tool_calls ?? []
  if (reading.finish !== undefined && (reasoning || content || calls.length > 0))
    throw fault(reading, 'text after the finish')
  // Reasoning comes before the answer; what an engine adds later is counted and not told.
  if (reasoning && !reading.answering) readReasoning(reading, reasoning)
  if (content) {
    reading.answering = true
    push(reading, { type: 'text', text: content })
  }
  for (const call of calls) {
    if (reading.finish === undefined) readToolCall(reading, call)
  }
  if (typeof choice.finish_reason === 'string' && reading.finish === undefined)
    finish(reading, finishOf(reading, choice.finish_reason))
}

/** Engines end the reasoning with the newlines that stand before their own end-of-thinking mark. */
function readReasoning(reading: Reading, text: string): void {
  const whole = reading.heldNewlines + text
  const kept = whole.replace(/\n+$/, '')
  reading.heldNewlines = whole.slice(kept.length)
  if (reading.progress !== undefined) reading.reasoningTokens = reading.progress.completionTokens
  if (kept !== '') push(reading, { type: 'reasoning', text: kept })
}

/** Engines disagree on indexes and ids, so a call is recognised by either and gets our index. */
function readToolCall(reading: Reading, call: WireToolCall): void {
  const id = typeof call.id === 'string' && call.id !== '' ? call.id : undefined
  const name = textOf(reading, call.function?.name)
  const wireIndex = typeof call.index === 'number' ? call.index : reading.calls.length - 1
  let index = reading.calls.findLastIndex((known) => known.wireIndex === wireIndex)
  const known = reading.calls[index]
  const another = known !== undefined && name !== '' && id !== undefined && id !== known.id
  if (known === undefined || another) {
    if (name === '') throw fault(reading, 'a tool call without a name')
    if (reading.calls.length >= reading.options.toolCallsMax) {
      cut(reading)
      return
    }
    index = reading.calls.push({ wireIndex, id, text: '' }) - 1
    reading.answering = true
    push(reading, { type: 'tool-call', index, name, text: '' })
  }
  const text = textOf(reading, call.function?.arguments)
  if (text !== '') readArguments(reading, index, text)
}

function readArguments(reading: Reading, index: number, text: string): void {
  const call = reading.calls[index]
  if (call === undefined) throw fault(reading, 'arguments of a call that was not opened')
  call.text += text
  push(reading, { type: 'arguments', index, text })
}

/**
 * A call that is finished has arguments in JSON. An engine may break off its grammar when the model
 * rambles; a client would run into that far from its cause. A call of no arguments is `{}`.
 */
function finishCalls(reading: Reading): void {
  for (const [index, { text }] of reading.calls.entries()) {
    if (text === '') readArguments(reading, index, '{}')
    else if (!isJson(text)) throw fault(reading, 'arguments of a tool call that are not JSON')
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** One call more than was allowed: what came before it stands, and the engine is left. */
function cut(reading: Reading): void {
  if (reading.progress === undefined) throw fault(reading, 'more tool calls than were allowed')
  reading.usage = { ...reading.progress, reasoningTokens: reading.reasoningTokens }
  finish(reading, 'tool_calls')
  end(reading)
}

function finish(reading: Reading, reason: FinishReason): void {
  if (reason === 'tool_calls') finishCalls(reading)
  reading.finish = reason
  reading.pieces.push({ type: 'finish', reason })
}

function finishOf(reading: Reading, said: string): FinishReason {
  const reason = FINISH_REASONS.find((known) => known === said)
  if (reason === undefined) throw fault(reading, 'a finish that is none')
  const called = reading.calls.length > 0
  if (reason === 'stop' && called) return 'tool_calls'
  return reason === 'tool_calls' && !called ? 'stop' : reason
}

/** Text that goes on becomes one piece with what came before, and so do a call's arguments. */
function push(reading: Reading, piece: Piece): void {
  if ('text' in piece) reading.characters += piece.text.length
  if (reading.characters > reading.options.charactersMax)
    throw fault(reading, 'more than was asked for')
  const last = reading.pieces.at(-1)
  if (last !== undefined && 'text' in last && 'text' in piece && continues(last, piece))
    last.text += piece.text
  else reading.pieces.push(piece)
}

/** A piece that nobody else has seen yet. */
type OwnPiece = Piece extends infer Each ? { -readonly [Key in keyof Each]: Each[Key] } : never
type TextPiece = Extract<Piece, { text: string }>

function continues(last: TextPiece, piece: TextPiece): boolean {
  if (piece.type !== 'arguments') return last.type === piece.type && piece.type !== 'tool-call'
  const ofCall = last.type === 'arguments' || last.type === 'tool-call'
  return ofCall && last.index === piece.index
}

function textOf(reading: Reading, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw fault(reading, 'something else where text belongs')
  return value
}

function fault(reading: Reading, what: string, cause?: unknown): EngineError {
  return new EngineError('protocol', reading.dialect.engine, `the engine sent ${what}`, cause)
}
