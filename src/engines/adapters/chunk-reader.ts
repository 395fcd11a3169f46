import { createParser } from 'eventsource-parser'
import { learnFrame, readFramed, type ChunkFrame } from './chunk-frame.ts'
import type { WireChunk } from './wire-chunk.ts'

/** Receives the events of a stream. */
export type ChunkHandler = {
  /** True after the end; later events are ignored. */
  isOver(): boolean
  /** The chunk is valid only during the call. */
  onChunk(chunk: WireChunk): void
  onEndMarker(): void
}

/** Limit for one event. A tool call sent as one event can be long. */
const EVENT_CHARACTERS_MAX = 1_048_576

/** After this many unused frames in a row, no more frames are derived. */
const UNUSED_FRAMES_MAX = 4

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Start and end of a one-line event. */
const PLAIN_START = Buffer.from('data: ')
const PLAIN_END_LENGTH = 2

/**
 * Reads an event stream in parts as they arrive. Most parts are exactly one event of one line that
 * resembles the previous one; all others go through the full parser. Throws on invalid JSON and on
 * an event that is too long.
 */
export class ChunkReader {
  readonly #handler: ChunkHandler
  #parsed: WireChunk | undefined
  #frame: ChunkFrame | undefined
  #unusedFrames = 0
  #betweenEvents = true
  #isAtStart = true
  #feed: ((part: Buffer) => void) | undefined

  constructor(handler: ChunkHandler) {
    this.#handler = handler
  }

  /** The part is `bytes` from `start` to `end`, which are valid only during the call. */
  read(bytes: Buffer, start: number, end: number): void {
    const isWhole = this.#betweenEvents
    const frame = isWhole ? this.#frame : undefined
    const known = frame === undefined ? undefined : readFramed(frame, bytes, start, end)
    if (known === undefined) {
      this.#readPart(bytes.subarray(start, end), isWhole)
      return
    }
    this.#unusedFrames = 0
    if (!this.#handler.isOver()) this.#handler.onChunk(known)
  }

  #readPart(part: Buffer, isWhole: boolean): void {
    this.#parsed = undefined
    const isAtStart = this.#isAtStart
    this.#isAtStart = false
    if (isWhole && isPlain(part))
      this.#readEvent(part.toString('utf8', PLAIN_START.length, part.length - PLAIN_END_LENGTH))
    else {
      this.#feed ??= createFeed((data) => this.#readEvent(data), isAtStart)
      this.#feed(part)
      this.#betweenEvents = part.at(-1) === LINE_FEED && part.at(-2) === LINE_FEED
    }
    if (isWhole && this.#betweenEvents) this.#learn(part)
    this.#parsed = undefined
  }

  #readEvent(data: string): void {
    if (this.#handler.isOver()) return
    if (data === '[DONE]') {
      this.#handler.onEndMarker()
      return
    }
    this.#parsed = JSON.parse(data) as WireChunk
    this.#handler.onChunk(this.#parsed)
  }

  #learn(event: Buffer): void {
    if (!this.#parsed || this.#unusedFrames >= UNUSED_FRAMES_MAX) return
    const learned = learnFrame(event, this.#parsed)
    if (learned === undefined) return
    this.#frame = learned
    this.#unusedFrames += 1
  }
}

/** Whether a part is exactly one event of one line. */
function isPlain(part: Buffer): boolean {
  return (
    part.indexOf(LINE_FEED) === part.length - PLAIN_END_LENGTH &&
    part.at(-1) === LINE_FEED &&
    part.length > PLAIN_START.length &&
    part.compare(PLAIN_START, 0, PLAIN_START.length, 0, PLAIN_START.length) === 0 &&
    !part.includes(CARRIAGE_RETURN)
  )
}

/** A byte order mark is skipped at the start of a stream only, and by the parser alone. */
function createFeed(onData: (data: string) => void, isAtStart: boolean): (part: Buffer) => void {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS_MAX,
    onEvent: ({ data }) => onData(data),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
  })
  // The parser takes the first text it gets for the start: an empty line changes nothing else.
  if (!isAtStart) parser.feed('\n')
  return (part) => parser.feed(decoder.decode(part, { stream: true }))
}
