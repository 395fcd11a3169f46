/** What becomes of a response as it is read. */
export type ResponseHandler = {
  onStatus(status: number): void
  /** What stands from `start` to `end` in the bytes, which are the handler's only for the call. */
  onData(bytes: Buffer, start: number, end: number): void
  /** With whether the connection may carry another exchange. */
  onEnd(reusable: boolean): void
}

export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** Of a head, and of what may stand beside and behind the chunks of a body. */
const EXTRA_BYTES_MAX = 65_536
/** A length of so many hexadecimal digits is exact. */
const SIZE_DIGITS_MAX = 12
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/
const HEAD_END = Buffer.from('\r\n\r\n')

const NOTHING = Buffer.alloc(0)

const CR = 0x0d
const LF = 0x0a

/** Answers to a POST after which no body comes. */
const BODILESS = new Set([204, 304])

/** What is read next. */
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
 * Reads the response to a POST, in whatever parts it comes: HTTP/1.1 as servers of models speak it.
 * Throws `MalformedResponse` for what is none, and bounds what it holds.
 */
export class ResponseReader {
  readonly #handler: ResponseHandler
  #state: State = 'head'
  #head = NOTHING
  /** Bytes of the body or of its chunk that are still to come. */
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

  /** Nothing more will come. That ends a body whose length was not told. */
  end(): void {
    if (this.#state !== 'body until the end') throw new MalformedResponse('it broke off')
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
        this.#expect(bytes[at] === LF && this.#digits > 0, 'the size of a chunk')
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return at + 1
      case 'chunk':
      case 'body':
        return this.#readCounted(bytes, at, end)
      case 'chunk CR':
        this.#expect(bytes[at] === CR, 'the end of a chunk')
        this.#state = 'chunk LF'
        return at + 1
      case 'chunk LF':
        this.#expect(bytes[at] === LF, 'the end of a chunk')
        this.#state = 'size'
        this.#digits = 0
        return at + 1
      case 'trailers':
        return this.#readTrailers(bytes.subarray(0, end), at)
      case 'body until the end':
        this.#handler.onData(bytes, at, end)
        return end
      case 'nothing':
        throw new MalformedResponse('more than was announced')
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length
    const gathered = before === 0 ? bytes.subarray(at) : Buffer.concat([this.#head, bytes])
    const end = gathered.indexOf(HEAD_END)
    if (end === -1) {
      this.#expect(gathered.length <= EXTRA_BYTES_MAX, 'the length of the head')
      // A copy, because the bytes are another's after this.
      this.#head = Buffer.from(gathered)
      return bytes.length
    }
    this.#head = NOTHING
    this.#begin(gathered.toString('latin1', 0, end))
    return at + end + HEAD_END.length - before
  }

  #begin(head: string): void {
    const [line = '', ...fields] = head.split('\r\n')
    const [, minor, digits] = STATUS_LINE.exec(line) ?? []
    this.#expect(digits !== undefined, 'the status line')
    const status = Number(digits)
    // An interim answer, after which the real one comes.
    if (status < 200) {
      this.#expect(status !== 101, 'the protocol')
      return
    }
    const { length, coding, connection } = framingOf(fields)
    this.#reusable = minor === '1' && !/\bclose\b/i.test(connection)
    this.#handler.onStatus(status)
    if (BODILESS.has(status)) this.#finish()
    else if (coding !== '') {
      this.#expect(coding.toLowerCase() === 'chunked', 'the transfer coding')
      this.#state = 'size'
    } else if (length === '') this.#state = 'body until the end'
    else {
      this.#expect(/^\d{1,15}$/.test(length), 'the length')
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
    this.#expect(this.#digits <= SIZE_DIGITS_MAX, 'the size of a chunk')
    if (at === end) return at
    this.#state = bytes[at] === CR ? 'size end' : 'size extension'
    return at + 1
  }

  /** Servers may say more about a chunk, which nobody needs. */
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
    this.#expect(this.#extraBytes <= EXTRA_BYTES_MAX, 'the length of what is not its body')
  }

  #finish(): void {
    this.#state = 'nothing'
    this.#handler.onEnd(this.#reusable)
  }

  #expect(isTrue: boolean, what: string): void {
    if (!isTrue) throw new MalformedResponse(`it is none by ${what}`)
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
      // Two lengths would leave it open where the response ends.
      if (length !== '' && length !== value) throw new MalformedResponse('it has two lengths')
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
