// For every token that does not match in the end, engines follow every way in which its text can
// match a pattern. With several ways per character there are exponentially many: `(.*){1,20}`
// blocks llama-server for all its clients. So the ways are counted here.

// The usual length of tokens of one repeated character. Longer words only multiply the ways of
// patterns that already have too many at this length.
const WORD_LENGTH = 12

// `[a-z0-9-]*[a-z0-9]` has 24, `.*.*.*` 454 and `(.+)+` 4,095, which is too many for an engine.
const WAYS_MAX = 500

// Characters that vocabularies repeat in one token; those of the pattern are added.
const USUAL_CHARACTERS = [' ', '-', '=', '*', '#', '/', '_', '.', '~', '+', 'a', '0']
const OWN_CHARACTERS_MAX = 8

// For each length up to WORD_LENGTH: in how many ways a part can match exactly that many characters
// (`whole`), and in how many ways it can match them and need more (`begun`).
type Ways = { readonly whole: readonly number[]; readonly begun: readonly number[] }

type Reader = {
  readonly pattern: string
  readonly character: string
  // Compiled once for all characters.
  readonly atoms: Map<string, RegExp | undefined>
  index: number
}

const NOTHING = Array.from({ length: WORD_LENGTH + 1 }, () => 0)
const EMPTY = NOTHING.with(0, 1)
const ONE = NOTHING.with(1, 1)
const NO_WIDTH: Ways = { whole: EMPTY, begun: NOTHING }
const GROUP_OPENING = /\((?:\?(?::|P?<\w+>|[ims]*(?:-[ims]+)?:))?/y
const FLAGS = /\(\?[ims]*(?:-[ims]+)?\)/y
const QUANTIFIER = /(?:([*+?])|\{(\d*)(?:(,)(\d*))?\})[?+]?/y
const ATOM = /\\[pP]\{\w*\}|\\u\{?[\da-fA-F]+\}?|\\x[\da-fA-F]{2}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/y

export type Ambiguity = 'repeats_empty' | 'too_many_ways'

// The pattern must be well formed.
export function findAmbiguity(pattern: string): Ambiguity | undefined {
  // With fewer than two variable parts there are at most as many ways as characters.
  if ((pattern.match(/[*+?{|]/g) ?? []).length < 2) return undefined
  const own = new Set(pattern.replace(/\\?[^\w\s]/g, (text) => text.at(-1) ?? ''))
  const characters = new Set([...USUAL_CHARACTERS, ...[...own].slice(0, OWN_CHARACTERS_MAX)])
  const atoms: Reader['atoms'] = new Map()
  for (const character of characters) {
    const ways = readAlternatives({ pattern, character, atoms, index: 0 })
    if (ways === 'repeats_empty') return ways
    if (sum(ways.begun) > WAYS_MAX) return 'too_many_ways'
  }
  return undefined
}

function readAlternatives(reader: Reader): Ways | 'repeats_empty' {
  let all: Ways = { whole: NOTHING, begun: NOTHING }
  for (;;) {
    const ways = readSequence(reader)
    if (ways === 'repeats_empty') return ways
    all = { whole: plus(all.whole, ways.whole), begun: plus(all.begun, ways.begun) }
    if (reader.pattern[reader.index] !== '|') return all
    reader.index += 1
  }
}

function readSequence(reader: Reader): Ways | 'repeats_empty' {
  let all = NO_WIDTH
  while (reader.index < reader.pattern.length && !/[|)]/.test(reader.pattern[reader.index] ?? '')) {
    let piece = readPiece(reader)
    for (let count = readQuantifier(reader); count !== undefined; count = readQuantifier(reader)) {
      if (piece === 'repeats_empty') break
      if (count.most > 1 && piece.whole[0] !== 0 && piece !== NO_WIDTH) return 'repeats_empty'
      piece = repeat(piece, count.least, count.most)
    }
    if (piece === 'repeats_empty') return piece
    all = {
      whole: times(all.whole, piece.whole),
      begun: plus(all.begun, times(all.whole, piece.begun)),
    }
  }
  return all
}

function readPiece(reader: Reader): Ways | 'repeats_empty' {
  if (take(reader, FLAGS) !== undefined) return NO_WIDTH
  if (take(reader, GROUP_OPENING) !== undefined) {
    const ways = readAlternatives(reader)
    reader.index += 1
    return ways
  }
  const atom = take(reader, ATOM)?.[0] ?? ''
  if (/^(?:\^|\$|\\[bBAzZ])$/.test(atom)) return NO_WIDTH
  return matches(atom, reader) ? { whole: ONE, begun: ONE } : { whole: NOTHING, begun: NOTHING }
}

function readQuantifier(reader: Reader): { least: number; most: number } | undefined {
  const before = reader.index
  const [text, mark, least, comma, most] = take(reader, QUANTIFIER) ?? []
  if (text === undefined) return undefined
  if (mark !== undefined) return { least: mark === '+' ? 1 : 0, most: mark === '?' ? 1 : Infinity }
  if (!least && !most) {
    reader.index = before
    return undefined
  }
  if (comma === undefined) return { least: Number(least), most: Number(least) }
  return { least: Number(least), most: most ? Number(most) : Infinity }
}

// Matches one character or class against one character, so it cannot backtrack.
function matches(atom: string, { atoms, character }: Reader): boolean {
  if (!atoms.has(atom)) atoms.set(atom, compileAtom(atom))
  return atoms.get(atom)?.test(character) ?? true
}

// Undefined for syntax that JavaScript does not know; it counts as matching anything.
function compileAtom(atom: string): RegExp | undefined {
  try {
    return new RegExp(`^${/^[*+?{})]$/.test(atom) ? '\\' : ''}${atom}$`, 's')
  } catch {
    return undefined
  }
}

function repeat(piece: Ways, least: number, most: number): Ways {
  let power = EMPTY as readonly number[]
  let whole = NOTHING as readonly number[]
  let begun = NOTHING as readonly number[]
  // Each repetition takes at least one character, so more than these exceed the word.
  for (let turn = 0; turn <= Math.min(most, WORD_LENGTH); turn++) {
    if (turn >= least) whole = plus(whole, power)
    if (turn < most) begun = plus(begun, times(power, piece.begun))
    power = times(power, piece.whole)
    if (power === NOTHING) break
  }
  return { whole, begun }
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.index
  const found = expression.exec(reader.pattern)
  if (found === null) return undefined
  reader.index += found[0].length
  return found
}

function plus(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left === NOTHING) return right
  if (right === NOTHING) return left
  return left.map((ways, length) => ways + (right[length] ?? 0))
}

function times(left: readonly number[], right: readonly number[]): readonly number[] {
  if (left === EMPTY) return right
  if (left === NOTHING || right === NOTHING) return NOTHING
  const product = Array.from({ length: WORD_LENGTH + 1 }, () => 0)
  for (const [length, ways] of left.entries()) {
    if (ways === 0) continue
    for (let more = 0; length + more <= WORD_LENGTH; more++) {
      product[length + more] = (product[length + more] ?? 0) + ways * (right[more] ?? 0)
    }
  }
  return product
}

function sum(ways: readonly number[]): number {
  return ways.reduce((all, each) => all + each, 0)
}
