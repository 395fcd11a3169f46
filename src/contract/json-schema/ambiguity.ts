import { compileAtom, type PatternNode } from './pattern-syntax.ts'

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

const NOTHING = Array.from({ length: WORD_LENGTH + 1 }, () => 0)
const EMPTY = NOTHING.with(0, 1)
const ONE = NOTHING.with(1, 1)
const NO_WIDTH: Ways = { whole: EMPTY, begun: NOTHING }
const NO_MATCH: Ways = { whole: NOTHING, begun: NOTHING }

export type Ambiguity = 'repeats_empty' | 'too_many_ways'

export function findAmbiguity(pattern: string, tree: PatternNode): Ambiguity | undefined {
  const own = new Set(pattern.replace(/\\?[^\w\s]/g, (text) => text.at(-1) ?? ''))
  const characters = new Set([...USUAL_CHARACTERS, ...[...own].slice(0, OWN_CHARACTERS_MAX)])
  // Compiled once for all characters.
  const atoms = new Map<string, RegExp | undefined>()
  const matchesAtom = (atom: string, character: string) => {
    if (!atoms.has(atom)) atoms.set(atom, compileAtom(atom))
    return atoms.get(atom)?.test(character) ?? true
  }
  for (const character of characters) {
    const ways = waysOf(tree, (atom) => matchesAtom(atom, character))
    if (ways === 'repeats_empty') return ways
    if (sum(ways.begun) > WAYS_MAX) return 'too_many_ways'
  }
  return undefined
}

function waysOf(node: PatternNode, matches: (atom: string) => boolean): Ways | 'repeats_empty' {
  switch (node.kind) {
    case 'empty':
      return NO_WIDTH
    case 'atom':
      return matches(node.text) ? { whole: ONE, begun: ONE } : NO_MATCH
    case 'choice':
    case 'sequence': {
      let all = node.kind === 'choice' ? NO_MATCH : NO_WIDTH
      for (const part of node.kind === 'choice' ? node.branches : node.parts) {
        const ways = waysOf(part, matches)
        if (ways === 'repeats_empty') return ways
        all = node.kind === 'choice' ? either(all, ways) : then(all, ways)
      }
      return all
    }
    case 'repetition': {
      const { part, least, most } = node
      const ways = waysOf(part, matches)
      if (ways === 'repeats_empty') return ways
      if (most > 1 && ways.whole[0] !== 0 && part.kind !== 'empty') return 'repeats_empty'
      return repeat(ways, least, most)
    }
  }
}

function either(left: Ways, right: Ways): Ways {
  return { whole: plus(left.whole, right.whole), begun: plus(left.begun, right.begun) }
}

function then(left: Ways, right: Ways): Ways {
  return {
    whole: times(left.whole, right.whole),
    begun: plus(left.begun, times(left.whole, right.begun)),
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
