const QUOTE = 0x22
const BACKSLASH = 0x5c

// Native searches skip long stretches thirty times faster than a loop, but starting one costs as
// much as reading some bytes, so this many bytes are read before a search is started.
const STEPS_BEFORE_SEARCH = 12

const OPEN = 1
const CLOSE = 2
const COMMA = 3
const COLON = 4
const STRING = 5
const TOKEN_OF_BYTE = new Uint8Array(256)
for (const [characters, token] of [
  ['{[', OPEN],
  ['}]', CLOSE],
  [',', COMMA],
  [':', COLON],
  ['"', STRING],
] as const) {
  for (const byte of Buffer.from(characters)) TOKEN_OF_BYTE[byte] = token
}

type Scan = {
  // Colons outside strings: in valid JSON exactly the number of members of all objects.
  readonly members: number
  // Structural characters.
  readonly tokens: number
}

type Limits = { readonly tokensMax: number; readonly depthMax: number }

// One pass over the bytes, which need not be valid JSON. UTF-8 never uses a byte below 0x80 inside
// a longer character, so the bytes are not decoded.
export function scanJson(
  body: Buffer,
  { tokensMax, depthMax }: Limits,
): Scan | 'too_deep' | 'too_many_values' {
  const scanner = new Scanner(body)
  let depth = 0
  let tokens = 0
  let strings = 0
  let members = 0
  let steps = 0
  for (let index = 0; index < body.length; index++) {
    const token = TOKEN_OF_BYTE[body[index] as number]
    if (token === 0) {
      if (++steps < STEPS_BEFORE_SEARCH) continue
      index = scanner.findToken(index + 1) - 1
      continue
    }
    steps = 0
    if (token === STRING) {
      // Valid JSON has a token between any two strings; without this bound ten million quotes would
      // pass as strings.
      if (++strings > tokensMax) return 'too_many_values'
      index = scanner.findClosingQuote(index + 1)
      continue
    }
    if (++tokens > tokensMax) return 'too_many_values'
    if (token === COLON) members++
    else if (token === CLOSE) depth--
    else if (token === OPEN && ++depth > depthMax) return 'too_deep'
  }
  return { members, tokens }
}

// Strings above 128 KiB would get memory of their own from the system, which takes longer than
// scanning them.
const WINDOW_BYTES = 65_536
const NEXT_TOKEN = /[{}[\],:"]/g

// Searches the body natively, in windows of text with one character for each byte.
class Scanner {
  readonly #body: Buffer
  readonly #windows: string[] = []

  constructor(body: Buffer) {
    this.#body = body
  }

  // The index of the next token, or the end of the body.
  findToken(from: number): number {
    return this.#find(indexOfToken, from, this.#body.length)
  }

  // The index of the quote that closes the string whose text begins at `start`, or the end of a
  // truncated body.
  findClosingQuote(start: number): number {
    const body = this.#body
    let index = start
    for (;;) {
      const stepEnd = Math.min(index + STEPS_BEFORE_SEARCH, body.length)
      while (index < stepEnd) {
        const byte = body[index]
        if (byte === QUOTE) return index
        index += byte === BACKSLASH ? 2 : 1
      }
      if (index >= body.length) return body.length
      const quote = this.#find(indexOfQuote, index, body.length)
      // The byte at `index` is not escaped, so backslashes are counted back only that far, which
      // also keeps the whole pass linear.
      let runStart = quote
      while (runStart > index && body[runStart - 1] === BACKSLASH) runStart--
      if ((quote - runStart) % 2 === 0) return quote
      index = quote + 1
    }
  }

  // The index of the first match, or `end`. Reads at most one window beyond it.
  #find(indexIn: (text: string, from: number) => number, from: number, end: number): number {
    let base = from - (from % WINDOW_BYTES)
    for (let start = from - base; base < end; base += WINDOW_BYTES, start = 0) {
      const text = (this.#windows[base / WINDOW_BYTES] ??= this.#textAt(base))
      const found = indexIn(text, start)
      if (found !== -1) return Math.min(base + found, end)
    }
    return end
  }

  #textAt(base: number): string {
    return this.#body.toString('latin1', base, base + WINDOW_BYTES)
  }
}

const indexOfQuote = (text: string, from: number) => text.indexOf('"', from)

function indexOfToken(text: string, from: number): number {
  NEXT_TOKEN.lastIndex = from
  return NEXT_TOKEN.test(text) ? NEXT_TOKEN.lastIndex - 1 : -1
}
