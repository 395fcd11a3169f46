/** Receives the parts of a response. */
export type ResponseHandler = {
  onStatus(status: number): void
  /** The data is `bytes` from `start` to `end`, valid only during the call. */
  onData(bytes: Buffer, start: number, end: number): void
  /** `reusable`: whether the connection can run another exchange. */
  onEnd(reusable: boolean): void
}

export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** Limit for the head, and for chunk extensions and trailers together. */
const EXTRA_BYTES_MAX = 65_536
/** A length of up to this many hexadecimal digits is exact. */
const SIZE_DIGITS_MAX = 12
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/
const HEAD_END = Buffer.from('\r\n\r\n')

const NOTHING = Buffer.alloc(0)

const CR = 0x0d
const LF = 0x0a

/** Status codes of responses to a POST without a body. */
const BODILESS = new Set([204, 304])

/** The part that is read next. */
type State =
  | 'head'
  | 'size'
  | 'size extension'
  | 'size end'
  | 'chunk'
  | 'chunk CR'
  | 'chunk LF'
  | 'trailers'
  | 'body'
  | 'body until the end'
  | 'nothing'

/**
 * Reads an HTTP/1.1 response to a POST, in parts of any size. Throws `MalformedResponse` on invalid
 * input, and bounds its buffers.
 */
export class ResponseReader {
  readonly #handler: ResponseHandler
  #state: State = 'head'
  #head = NOTHING
  /** Remaining bytes of the body or chunk. */
  #left = 0
  #digits = 0
  #extraBytes = 0
  #lineBytes = 0
  #reusable = true

  constructor(handler: ResponseHandler) {
    this.#handler = handler
  }

  read(bytes: Buffer, end: number): void {
    for (let at = 0; at < end;) at = this.#readFrom(bytes, at, end)
  }

  /** The connection ended, which is the end of a body without a length. */
  end(): void {
    if (this.#state !== 'body until the end')
      throw new MalformedResponse('the response ended early')
    this.#reusable = false
    this.#finish()
  }

  #readFrom(bytes: Buffer, at: number, end: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes.subarray(0, end), at)
      case 'size':
        return this.#readSize(bytes, at, end)
      case 'size extension':
        return this.#skipExtension(bytes.subarray(0, end), at)
      case 'size end':
        this.#expect(bytes[at] === LF && this.#digits > 0, 'chunk size')
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return at + 1
      case 'chunk':
      case 'body':
        return this.#readCounted(bytes, at, end)
      case 'chunk CR':
        this.#expect(bytes[at] === CR, 'chunk end')
        this.#state = 'chunk LF'
        return at + 1
      case 'chunk LF':
        this.#expect(bytes[at] === LF, 'chunk end')
        this.#state = 'size'
        this.#digits = 0
        return at + 1
      case 'trailers':
        return this.#readTrailers(bytes.subarray(0, end), at)
      case 'body until the end':
        this.#handler.onData(bytes, at, end)
        return end
      case 'nothing':
        throw new MalformedResponse('data after the end of the response')
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length
    const buffered = before === 0 ? bytes.subarray(at) : Buffer.concat([this.#head, bytes])
    const end = buffered.indexOf(HEAD_END)
    if (end === -1) {
      this.#expect(buffered.length <= EXTRA_BYTES_MAX, 'head length')
      // A copy, because the read buffer is reused.
      this.#head = Buffer.from(buffered)
      return bytes.length
    }
    this.#head = NOTHING
    this.#begin(buffered.toString('latin1', 0, end))
    return at + end + HEAD_END.length - before
  }

  #begin(head: string): void {
    const [line = '', ...fields] = head.split('\r\n')
    const [, minor, digits] = STATUS_LINE.exec(line) ?? []
    this.#expect(digits !== undefined, 'status line')
    const status = Number(digits)
    // An interim response precedes the final one.
    if (status < 200) {
      this.#expect(status !== 101, 'protocol')
      return
    }
    const { length, coding, connection } = framingOf(fields)
    this.#reusable = minor === '1' && !/\bclose\b/i.test(connection)
    this.#handler.onStatus(status)
    if (BODILESS.has(status)) this.#finish()
    else if (coding !== '') {
      this.#expect(coding.toLowerCase() === 'chunked', 'transfer coding')
      this.#state = 'size'
    } else if (length === '') this.#state = 'body until the end'
    else {
      this.#expect(/^\d{1,15}$/.test(length), 'content length')
      this.#left = Number(length)
      if (this.#left === 0) this.#finish()
      else this.#state = 'body'
    }
  }

  #readSize(bytes: Buffer, start: number, end: number): number {
    let at = start
    for (; at < end; at += 1) {
      const value = hexadecimal(bytes[at] as number)
      if (value === NO_DIGIT) break
      this.#left = this.#left * 16 + value
      this.#digits += 1
    }
    this.#expect(this.#digits <= SIZE_DIGITS_MAX, 'chunk size')
    if (at === end) return at
    this.#state = bytes[at] === CR ? 'size end' : 'size extension'
    return at + 1
  }

  /** Chunk extensions are ignored. */
  #skipExtension(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(LF, start)
    const at = end === -1 ? bytes.length : end
    this.#countExtra(at - start)
    if (end !== -1) this.#state = 'size end'
    return at
  }

  #readCounted(bytes: Buffer, at: number, end: number): number {
    const to = Math.min(end, at + this.#left)
    this.#left -= to - at
    if (this.#left === 0 && this.#state === 'chunk') this.#state = 'chunk CR'
    this.#handler.onData(bytes, at, to)
    if (this.#left === 0 && this.#state === 'body') this.#finish()
    return to
  }

  #readTrailers(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(LF, start)
    const at = end === -1 ? bytes.length : end + 1
    this.#countExtra(at - start)
    this.#lineBytes += at - start
    if (end === -1) return at
    if (this.#lineBytes <= 2) this.#finish()
    this.#lineBytes = 0
    return at
  }

  #countExtra(bytes: number): void {
    this.#extraBytes += bytes
    this.#expect(this.#extraBytes <= EXTRA_BYTES_MAX, 'length of chunk extensions and trailers')
  }

  #finish(): void {
    this.#state = 'nothing'
    this.#handler.onEnd(this.#reusable)
  }

  #expect(isTrue: boolean, what: string): void {
    if (!isTrue) throw new MalformedResponse(`invalid ${what}`)
  }
}

type Framing = { readonly length: string; readonly coding: string; readonly connection: string }

function framingOf(fields: readonly string[]): Framing {
  let length = ''
  let coding = ''
  let connection = ''
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    if (name === 'content-length') {
      // Conflicting lengths make the end of the response ambiguous.
      if (length !== '' && length !== value)
        throw new MalformedResponse('conflicting content lengths')
      length = value
    } else if (name === 'transfer-encoding') coding += coding === '' ? value : `,${value}`
    else if (name === 'connection') connection += `,${value}`
  }
  return { length, coding, connection }
}

const NO_DIGIT = -1

function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NO_DIGIT
}
