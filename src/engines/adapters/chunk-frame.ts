import type { WireChunk } from './wire-chunk.ts'

/**
 * A template for the events of one stream. Events of an engine differ only in the text and some
 * counts, so an event that equals an earlier one everywhere else need not be parsed.
 */
export type ChunkFrame = {
  /** The parsed earlier event. Each new event replaces its text and counts. */
  readonly chunk: WireChunk
  /** The bytes of the earlier event. */
  readonly bytes: Buffer
  /** In the order of their position. */
  readonly holes: readonly Hole[]
}

/** A value that may differ from event to event: the text of the delta, or a count. */
type Hole = {
  readonly holder: Holder
  readonly key: string
  readonly isText: boolean
  readonly from: number
  readonly to: number
}

type Holder = Record<string, unknown>

const TEXT_KEYS = ['content', 'reasoning_content', 'reasoning']
/** The members of `usage` that grow with every token. */
const COUNT_KEYS = ['completion_tokens', 'total_tokens', 'reasoning_tokens']

/** A one-line event. In JSON without a backslash every quote starts or ends a string. */
const PLAIN_EVENT = /^data: \{[^\r\n\\]*\}\n\n$/

/**
 * Derives the frame of an event from its bytes and their parsed form. Undefined if it has no text,
 * or if the position of a value is ambiguous.
 */
export function learnFrame(bytes: Buffer, chunk: WireChunk): ChunkFrame | undefined {
  const delta = chunk.choices?.[0]?.delta as Holder | null | undefined
  const texts = TEXT_KEYS.filter((key) => delta?.[key])
  const [key] = texts
  if (!delta || key === undefined || texts.length > 1) return undefined
  // Latin-1 has one character per byte.
  const event = bytes.toString('latin1')
  if (!PLAIN_EVENT.test(event)) return undefined
  const from = offsetOf(event, `"${key}":"`)
  if (from === NOT_FOUND || typeof delta[key] !== 'string') return undefined
  const text = { holder: delta, key, isText: true, from, to: event.indexOf('"', from) }
  const counts = findCounts(event, chunk.usage)
  const holes = counts.length === 0 ? [text] : [text, ...counts].toSorted((a, b) => a.from - b.from)
  // A copy, because the frame lives as long as its stream and must not retain a larger buffer.
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return { chunk, bytes: own, holes }
}

/** vLLM and SGLang count reasoning tokens in this object; SGLang also counts them outside. */
const DETAILS_KEY = 'completion_tokens_details'

function findCounts(event: string, usage: Holder | null | undefined): Hole[] {
  if (!usage) return []
  const start = offsetOf(event, `"${DETAILS_KEY}":`)
  const end = event.indexOf('}', start)
  const inner = event.slice(start + 1, end)
  if (start === NOT_FOUND || event[start] !== '{' || inner.includes('{'))
    return findCountsIn(event, usage, 0)
  const outer = event.slice(0, start) + ' '.repeat(end - start) + event.slice(end)
  const details = usage[DETAILS_KEY] as Holder | undefined
  return [...findCountsIn(outer, usage, 0), ...findCountsIn(inner, details ?? {}, start + 1)]
}

function findCountsIn(text: string, holder: Holder, offset: number): Hole[] {
  const holes: Hole[] = []
  for (const key of COUNT_KEYS) {
    const at = offsetOf(text, `"${key}":`)
    const digits = String(holder[key])
    if (at === NOT_FOUND || !/^\d+$/.test(digits) || !text.startsWith(digits, at)) continue
    const from = offset + at
    holes.push({ holder, key, isText: false, from, to: from + digits.length })
  }
  return holes
}

const NOT_FOUND = -1

/** The offset of the value of a member, if the key occurs exactly once. */
function offsetOf(event: string, member: string): number {
  const at = event.indexOf(member)
  const twice = event.includes(member, at + 1)
  return at === NOT_FOUND || twice ? NOT_FOUND : at + member.length
}

/**
 * The same as JSON.parse of the event from `start` to `end`, if it matches the frame. Valid until
 * the next call.
 */
export function readFramed(
  frame: ChunkFrame,
  bytes: Buffer,
  start: number,
  end: number,
): WireChunk | undefined {
  const { chunk, bytes: known, holes } = frame
  let at = start
  let from = 0
  for (const hole of holes) {
    at = skipSame(known, from, hole.from, bytes, at, end)
    if (at === NOT_FOUND) return undefined
    at = hole.isText ? readText(hole, bytes, at, end) : readCount(hole, bytes, at, end)
    if (at === NOT_FOUND) return undefined
    from = hole.to
  }
  return skipSame(known, from, known.length, bytes, at, end) === end ? chunk : undefined
}

/** Below this length a loop is faster than the native comparison. */
const COMPARED_NATIVELY_MIN = 64

function skipSame(
  known: Buffer,
  from: number,
  to: number,
  bytes: Buffer,
  at: number,
  limit: number,
): number {
  const end = at + to - from
  if (end > limit) return NOT_FOUND
  if (to - from >= COMPARED_NATIVELY_MIN)
    return known.compare(bytes, at, end, from, to) === 0 ? end : NOT_FOUND
  for (let index = from; index < to; index += 1) {
    if (known[index] !== bytes[at + index - from]) return NOT_FOUND
  }
  return end
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const NINE = 0x39
const ASCII_END = 0x80
/** JSON strings must escape all characters below. */
const SPACE = 0x20
/** Integers of up to this many digits are exact. */
const DIGITS_MAX = 15

/** `start` is after the opening quote. Returns the offset of the closing quote. */
function readText({ holder, key }: Hole, bytes: Buffer, start: number, limit: number): number {
  let end = start
  let escaped = false
  let bits = 0
  for (; end < limit; end += 1) {
    const byte = bytes[end] as number
    if (byte === QUOTE) break
    if (byte < SPACE) return NOT_FOUND
    bits |= byte
    if (byte !== BACKSLASH) continue
    escaped = true
    end += 1
  }
  if (!escaped) {
    // Plain ASCII need not be decoded.
    holder[key] = bytes.toString(bits < ASCII_END ? 'latin1' : 'utf8', start, end)
    return end
  }
  try {
    holder[key] = JSON.parse(bytes.toString('utf8', start - 1, end + 1))
    return end
  } catch {
    // The caller then parses the whole event, which reports the error.
    return NOT_FOUND
  }
}

function readCount({ holder, key }: Hole, bytes: Buffer, start: number, limit: number): number {
  let end = start
  let value = 0
  for (; end < limit; end += 1) {
    const byte = bytes[end] as number
    if (byte < ZERO || byte > NINE) break
    value = value * 10 + byte - ZERO
  }
  const digits = end - start
  // JSON has no numbers with leading zeros.
  const padded = bytes[start] === ZERO && digits > 1
  if (digits === 0 || digits > DIGITS_MAX || padded) return NOT_FOUND
  holder[key] = value
  return end
}
