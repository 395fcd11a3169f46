import { createParser } from 'eventsource-parser'
import type { TakeBytes } from '../wire/byte-source.ts'
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
export function createChunkReader(handler: ChunkHandler): TakeBytes {
  let parsed: WireChunk | undefined
  let frame: ChunkFrame | undefined
  let unusedFrames = 0
  let betweenEvents = true
  let feed: ((part: Buffer) => void) | undefined

  function readEvent(data: string): void {
    if (handler.isOver()) return
    if (data === '[DONE]') {
      handler.onEndMarker()
      return
    }
    parsed = JSON.parse(data) as WireChunk
    handler.onChunk(parsed)
  }

  function learn(event: Buffer): void {
    if (!parsed || unusedFrames >= UNUSED_FRAMES_MAX) return
    const learned = learnFrame(event, parsed)
    if (learned === undefined) return
    frame = learned
    unusedFrames += 1
  }

  return (bytes, start, end) => {
    const isWhole = betweenEvents
    const known = isWhole && frame !== undefined ? readFramed(frame, bytes, start, end) : undefined
    if (known !== undefined) {
      unusedFrames = 0
      if (!handler.isOver()) handler.onChunk(known)
      return
    }
    parsed = undefined
    const part = bytes.subarray(start, end)
    if (isWhole && isPlain(part))
      readEvent(part.toString('utf8', PLAIN_START.length, part.length - PLAIN_END_LENGTH))
    else {
      feed ??= createFeed(readEvent)
      feed(part)
      betweenEvents = part.at(-1) === LINE_FEED && part.at(-2) === LINE_FEED
    }
    if (isWhole && betweenEvents) learn(part)
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

function createFeed(onData: (data: string) => void): (part: Buffer) => void {
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS_MAX,
    onEvent: ({ data }) => onData(data),
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') throw error
    },
  })
  return (part) => parser.feed(decoder.decode(part, { stream: true }))
}
