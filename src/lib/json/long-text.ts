import type { HeldBytes } from './held-bytes.ts'

/**
 * A long string of a JSON text, kept as it was received. Decoding and encoding it again would take
 * most of the time of a request, and each copy of it fresh memory.
 */
export class LongText {
  /**
   * The string without its quotes, in UTF-8: exactly what JSON.stringify would write. So its only
   * escapes are those of one character (`\n`).
   */
  readonly json: Buffer
  /** Bytes of the decoded text. */
  readonly bytes: number
  /** The memory of `json`. */
  readonly held: HeldBytes

  constructor(json: Buffer, escapes: number, held: HeldBytes) {
    this.json = json
    this.bytes = json.length - escapes
    this.held = held
  }

  toString(): string {
    return decode(this.json.toString())
  }

  /** At least the first `length` characters, or all. */
  start(length: number): string {
    let end = Math.min(length * CHARACTER_BYTES_MAX, this.json.length)
    // An escape must not be cut in two.
    while (this.json[end - 1] === BACKSLASH) end--
    return decode(this.json.toString('utf8', 0, end))
  }

  /** False only if the text does not contain it. */
  mayContain(text: string): boolean {
    return this.json.includes(JSON.stringify(text).slice(1, -1))
  }

  /** As any other string, except within `toJsonPieces`. */
  toJSON(): string {
    if (collected === undefined) return this.toString()
    collected.push(this)
    return MARK
  }
}

/** Of one UTF-16 code unit; an escape of one character takes two. */
const CHARACTER_BYTES_MAX = 3
const BACKSLASH = 0x5c

/** Stands for a long text. Other strings do not contain NUL: parseJson rejects it. */
const MARK = '\0'
const MARK_JSON = /(?<=")\\u0000(?=")/

/** The long texts that JSON.stringify has met, while `toJsonPieces` runs. */
let collected: LongText[] | undefined

/** JSON in pieces. Some are parts of long texts, so they must be held while they are written. */
export type JsonPieces = {
  readonly pieces: readonly Buffer[]
  hold(): () => void
}

/** As JSON.stringify, but in pieces if there are long texts, which are not copied. */
export function toJsonPieces(value: object): string | JsonPieces {
  const texts: LongText[] = []
  collected = texts
  try {
    const json = JSON.stringify(value)
    if (texts.length === 0) return json
    const pieces = json.split(MARK_JSON).flatMap((part, index) => {
      const text = texts[index]
      return text === undefined ? [Buffer.from(part)] : [Buffer.from(part), text.json]
    })
    return { pieces, hold: () => holdAll(texts) }
  } finally {
    collected = undefined
  }
}

function holdAll(texts: readonly LongText[]): () => void {
  const releases = texts.map(({ held }) => held.hold())
  return () => {
    for (const release of releases) release()
  }
}

export function byteLengthOf(json: string | JsonPieces): number {
  if (typeof json === 'string') return Buffer.byteLength(json)
  return json.pieces.reduce((sum, { length }) => sum + length, 0)
}

function decode(json: string): string {
  return JSON.parse(`"${json}"`) as string
}
