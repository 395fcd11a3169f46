import type { WireChunk } from './wire-chunk.ts'

/**
 * What the events of one stream have in common. An engine says the same of every token but for its
 * text and some counts, so an event that equals an earlier one everywhere else need not be parsed.
 */
export type ChunkFrame = {
  /** The earlier event as it was parsed. With every event its text and counts are replaced. */
  readonly chunk: WireChunk
  /** And as it came. */
  readonly bytes: Buffer
  /** In the order in which they stand there. */
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
/** What grows with every token, in the engine's usage. */
const COUNT_KEYS = ['completion_tokens', 'total_tokens', 'reasoning_tokens']

/** An event of one line. In JSON without a backslash each quote begins or ends a string. */
const PLAIN_EVENT = /^data: \{[^\r\n\\]*\}\n\n$/

/**
 * The frame of an event, given all of its bytes and what they were parsed to. Undefined when it
 * tells no text, or when it is not beyond doubt where each value stands.
 */
export function learnFrame(bytes: Buffer, chunk: WireChunk): ChunkFrame | undefined {
  const delta = chunk.choices?.[0]?.delta as Holder | null | undefined
  const told = TEXT_KEYS.filter((key) => delta?.[key])
  const [key] = told
  if (!delta || key === undefined || told.length > 1) return undefined
  // One character for each byte.
  const event = bytes.toString('latin1')
  if (!PLAIN_EVENT.test(event)) return undefined
  const from = placeOf(event, `"${key}":"`)
  if (from === NOWHERE || typeof delta[key] !== 'string') return undefined
  const text = { holder: delta, key, isText: true, from, to: event.indexOf('"', from) }
  const counts = findCounts(event, chunk.usage)
  const holes = counts.length === 0 ? [text] : [text, ...counts].toSorted((a, b) => a.from - b.from)
  // Kept as long as its stream, so it must not keep a larger buffer with it.
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return { chunk, bytes: own, holes }
}

function findCounts(event: string, usage: Holder | null | undefined): Hole[] {
  if (!usage) return []
  const holes: Hole[] = []
  for (const key of COUNT_KEYS) {
    const from = placeOf(event, `"${key}":`)
    const digits = String(usage[key])
    if (from === NOWHERE || !/^\d+$/.test(digits) || !event.startsWith(digits, from)) continue
    holes.push({ holder: usage, key, isText: false, from, to: from + digits.length })
  }
  return holes
}

const NOWHERE = -1

/** Where the value of a member begins. A key that stands there twice could mean either. */
function placeOf(event: string, member: string): number {
  const at = event.indexOf(member)
  const twice = event.includes(member, at + 1)
  return at === NOWHERE || twice ? NOWHERE : at + member.length
}

/** What JSON.parse would make of an event, if the frame is its frame. Holds until the next call. */
export function readFramed(frame: ChunkFrame, bytes: Buffer): WireChunk | undefined {
  const { chunk, bytes: known, holes } = frame
  let at = 0
  let from = 0
  for (const hole of holes) {
    at = passSame(known, from, hole.from, bytes, at)
    if (at === NOWHERE) return undefined
    at = hole.isText ? readText(hole, bytes, at) : readCount(hole, bytes, at)
    if (at === NOWHERE) return undefined
    from = hole.to
  }
  return passSame(known, from, known.length, bytes, at) === bytes.length ? chunk : undefined
}

/** The native comparison costs as much as looking at so many bytes here. */
const COMPARED_NATIVELY_MIN = 64

function passSame(known: Buffer, from: number, to: number, bytes: Buffer, at: number): number {
  const end = at + to - from
  if (end > bytes.length) return NOWHERE
  if (to - from >= COMPARED_NATIVELY_MIN)
    return known.compare(bytes, at, end, from, to) === 0 ? end : NOWHERE
  for (let index = from; index < to; index += 1) {
    if (known[index] !== bytes[at + index - from]) return NOWHERE
  }
  return end
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const NINE = 0x39
const ASCII_END = 0x80
/** Below it stand the characters that JSON allows in strings as escapes only. */
const SPACE = 0x20
/** A whole number of so many digits is exact. */
const DIGITS_MAX = 15

/** Returns where the text ends that begins after its quote. */
function readText({ holder, key }: Hole, bytes: Buffer, start: number): number {
  let end = start
  let escaped = false
  let bits = 0
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end] as number
    if (byte === QUOTE) break
    if (byte < SPACE) return NOWHERE
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
    // Then the event is parsed as a whole, and refused with all that belongs to that.
    return NOWHERE
  }
}

function readCount({ holder, key }: Hole, bytes: Buffer, start: number): number {
  let end = start
  let value = 0
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end] as number
    if (byte < ZERO || byte > NINE) break
    value = value * 10 + byte - ZERO
  }
  const digits = end - start
  // JSON has no numbers with leading zeros.
  const padded = bytes[start] === ZERO && digits > 1
  if (digits === 0 || digits > DIGITS_MAX || padded) return NOWHERE
  holder[key] = value
  return end
}
