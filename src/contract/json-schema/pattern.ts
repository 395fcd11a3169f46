import { findAmbiguity } from './ambiguity.ts'
import { AUTOMATON_STEPS_MAX, countAutomatonSteps } from './automaton.ts'
import { readPattern } from './pattern-syntax.ts'

// Long enough for the email, date and identifier patterns of schema libraries. Engines turn every
// character into states of an automaton.
const PATTERN_LENGTH_MAX = 256

// Engines unroll `{n}`; llama-server fails on a rule repeated 2,000 times. Nested repetitions
// multiply.
const PATTERN_REPETITION_MAX = 1_000

const GROUP_START = /\(\?(?::|P?<[A-Za-z_$][\w$]*>|[ims]*(?:-[ims]+)?[:)])/y
const REPETITION = /\{(\d*)(?:(,)(\d*))?\}/y

const NOT_A_PATTERN = 'must be a regular expression'
const NOT_REGULAR = 'must not use look-around, back-references or special groups'
const REPEATS_EMPTY = 'must not repeat an expression that can be empty, as in (a?)+'
const TOO_MANY_WAYS = 'must not match the same text in many ways, as (.+)+ does'
const TOO_MANY_STATES = 'must be simpler: as an automaton it has too many states'
const TOO_MANY_REPETITIONS = `must not repeat anything more than ${PATTERN_REPETITION_MAX} times`

// The patterns of one request that were accepted, and what they cost together.
export type PatternTotals = { automatonSteps: number; readonly patterns: Set<string> }

// The violation as the end of a sentence. The pattern is only read, never compiled or run here,
// because 28 characters are enough to keep V8 backtracking for seconds.
export function findPatternViolation(
  pattern: string,
  totals: PatternTotals = { automatonSteps: 0, patterns: new Set() },
): string | undefined {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    return `must be at most ${PATTERN_LENGTH_MAX} characters long`
  }
  // The largest repetition inside each open group, and that of the last complete part.
  const groups = [1]
  let last = 1
  for (let index = 0; index < pattern.length;) {
    const character = pattern[index]
    if (character === '\\') {
      const escaped = pattern[index + 1]
      if (escaped === undefined) return NOT_A_PATTERN
      if (/[1-9k]/.test(escaped)) return NOT_REGULAR
      last = 1
      index += 2
    } else if (character === '[') {
      const end = findClassEnd(pattern, index)
      if (end === -1) return NOT_A_PATTERN
      last = 1
      index = end + 1
    } else if (character === '(') {
      const start = pattern[index + 1] === '?' ? matchAt(GROUP_START, pattern, index)?.[0] : '('
      if (start === undefined) return NOT_REGULAR
      // `(?i)` sets a flag and opens nothing.
      if (!start.endsWith(')')) groups.push(1)
      last = 1
      index += start.length
    } else if (character === ')') {
      if (groups.length === 1) return NOT_A_PATTERN
      last = groups.pop() ?? 1
      raise(groups, last)
      index += 1
    } else if (character === '{') {
      const repetition = matchAt(REPETITION, pattern, index)
      if (repetition !== null && isReversed(repetition)) return NOT_A_PATTERN
      last *= repetition === null ? 1 : countOf(repetition)
      if (last > PATTERN_REPETITION_MAX) return TOO_MANY_REPETITIONS
      raise(groups, last)
      index += repetition === null ? 1 : repetition[0].length
    } else {
      // A lazy or possessive mark belongs to the preceding repetition.
      if (character !== '?' && character !== '*' && character !== '+') last = 1
      index += 1
    }
  }
  if (groups.length !== 1) return NOT_A_PATTERN
  return findCostViolation(pattern, totals)
}

function findCostViolation(pattern: string, totals: PatternTotals): string | undefined {
  // With fewer than two variable parts there are at most as many ways, and states, as characters.
  if ((pattern.match(/[*+?{|]/g) ?? []).length < 2 || totals.patterns.has(pattern)) return undefined
  const tree = readPattern(pattern)
  const ambiguity = findAmbiguity(pattern, tree)
  if (ambiguity !== undefined) return ambiguity === 'repeats_empty' ? REPEATS_EMPTY : TOO_MANY_WAYS
  const stepsLeft = AUTOMATON_STEPS_MAX - totals.automatonSteps
  totals.automatonSteps += countAutomatonSteps(pattern, tree, stepsLeft)
  if (totals.automatonSteps > AUTOMATON_STEPS_MAX) return TOO_MANY_STATES
  totals.patterns.add(pattern)
  return undefined
}

// For `a{5,2}`, llama-server counts up from 5 to 2 until the number wraps, and uses all memory.
function isReversed([, least, , most]: RegExpExecArray): boolean {
  return most !== undefined && most !== '' && Number(least) > Number(most)
}

function matchAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index
  return expression.exec(text)
}

function findClassEnd(pattern: string, start: number): number {
  for (let index = start + 1; index < pattern.length; index++) {
    if (pattern[index] === '\\') index++
    else if (pattern[index] === ']') return index
  }
  return -1
}

// The larger bound of `{2}`, `{2,}`, `{2,5}` or `{,5}`; `{}` and `{,}` are plain text. At least 1,
// so that `{0}` does not hide an inner repetition from the outer one.
function countOf([, least, , most]: RegExpExecArray): number {
  return Math.max(1, Number(least), Number(most ?? 0))
}

function raise(groups: number[], repetition: number): void {
  const innermost = groups.length - 1
  groups[innermost] = Math.max(groups[innermost] ?? 1, repetition)
}
