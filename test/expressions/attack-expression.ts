/** How long an expression took for the worst text that was found. */
export type Attack = {
  readonly cpuMs: number
  readonly length: number
  /** The text as prefix, repeated part and end. */
  readonly text: readonly [string, string, string]
}

type Shape = Attack['text']

/** Texts of this length tell which shapes are worth a longer text. */
const SCREENED_LENGTH = 4_096
const SCREENED_SHAPES = 3
/** Small steps first: an exponential expression is to be noticed before it hangs. */
const LENGTHS = [16, 21, 25, 64, 512, SCREENED_LENGTH]
const ATTEMPTS = 5
/** Beyond so many times what is allowed, nothing but the expression is to blame. */
const HOPELESS = 40
/** An alternative of single letters is as good as a class; more atoms add nothing but shapes. */
const ATOMS_MAX = 24
const PUMPED_ATOMS_MAX = 4
const MISMATCHES = ['', '\u0000', '\n', 'x!']

const ATOM = new RegExp(
  [
    String.raw`\\[pP]\{\w*\}`,
    String.raw`\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}`,
    String.raw`\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]`,
  ].join('|'),
  'gu',
)
/** What belongs to groups and quantifiers and matches no character. */
const SYNTAX = /\(\?(?:[:=!]|<[=!]|<\w+>|[ims]*(?:-[ims]+)?:)|\{\d*,?\d*\}|[()|*+?^$]/gu

/** Characters that classes are tried with: all of ASCII and some beyond. */
const CANDIDATES = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  'é',
  '｜',
  '😀',
]

/**
 * Feeds an expression with repetitions of the characters it can match, each after a beginning that
 * fits and before an end that does not, and returns the slowest up to the given length, a power of
 * two. Lengths grow, and stop at the first that takes longer than allowed, so that nothing hangs.
 */
export function attackExpression(
  run: (text: string) => unknown,
  shapes: readonly Shape[],
  length: number,
  allowedMs: number,
): Attack {
  const screened: Attack[] = []
  for (const text of shapes) {
    const attack = grow(run, text, Math.min(length, SCREENED_LENGTH), allowedMs)
    if (attack.cpuMs > allowedMs) return attack
    screened.push(attack)
  }
  let worst = screened[0] ?? { cpuMs: 0, length: 0, text: ['', '', ''] }
  for (const { text } of screened.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, SCREENED_SHAPES)) {
    const attack = grow(run, text, length, allowedMs)
    if (attack.cpuMs > allowedMs) return attack
    if (attack.cpuMs > worst.cpuMs) worst = attack
  }
  return worst
}

/** Runs an expression as its flags suggest: once, or for every match. */
export function runOf(expression: RegExp): (text: string) => unknown {
  if (expression.global) return (text) => text.replace(expression, '')
  return (text) => {
    expression.lastIndex = 0
    return expression.test(text)
  }
}

/** Beginning, repeated part and end, from the characters that the parts of an expression match. */
export function shapesOf({ source, flags }: RegExp): Shape[] {
  const atoms = atomsOf(source)
  const known = atoms.map((atom) => charactersOf(atom, flags.replace(/[gy]/g, '')))
  const first = known.map(([character = '']) => character)
  const shapes = new Map<string, Shape>()
  const add = (before: string, pumped: string) => {
    if (pumped === '') return
    for (const end of MISMATCHES)
      shapes.set(JSON.stringify([before, pumped, end]), [before, pumped, end])
  }
  for (const character of new Set(known.flat())) add('', character)
  for (let from = 0; from < atoms.length; from += 1) {
    const before = first.slice(0, from).join('')
    for (const character of known[from] ?? []) add(before, character)
    for (let size = 1; size <= PUMPED_ATOMS_MAX; size += 1)
      add(before, first.slice(from, from + size).join(''))
  }
  add('', first.join(''))
  return [...shapes.values()]
}

function atomsOf(source: string): string[] {
  const parts: string[] = []
  let at = 0
  while (at < source.length && parts.length < ATOMS_MAX) {
    SYNTAX.lastIndex = at
    const syntax = SYNTAX.exec(source)
    if (syntax?.index === at) {
      at += syntax[0].length
      continue
    }
    ATOM.lastIndex = at
    const atom = ATOM.exec(source)?.[0] ?? source.slice(at)
    parts.push(atom)
    at += atom.length
  }
  return parts
}

/** One letter, digit, space and other character that a class or character matches. */
function charactersOf(atom: string, flags: string): string[] {
  let expression: RegExp
  try {
    expression = new RegExp(`^(?:${atom})$`, flags)
  } catch {
    return []
  }
  const kinds = [/[a-z]/i, /\d/, /\s/, /[^a-z\d\s]/i]
  const matching = CANDIDATES.filter((character) => expression.test(character))
  return kinds.flatMap((kind) => matching.find((character) => kind.test(character)) ?? [])
}

function grow(
  run: (text: string) => unknown,
  shape: Shape,
  most: number,
  allowedMs: number,
): Attack {
  const [before, pumped, end] = shape
  for (const length of lengthsUpTo(most)) {
    const text = before + pumped.repeat(Math.ceil(length / pumped.length)) + end
    const cpuMs = leastCpuMs(() => run(text), allowedMs)
    if (cpuMs > allowedMs || length >= most) return { cpuMs, length, text: shape }
  }
  throw new RangeError('no length to attack with')
}

function* lengthsUpTo(most: number): Generator<number> {
  if (most <= SCREENED_LENGTH) yield* [...LENGTHS.filter((length) => length < most), most]
  for (let length = 2 * SCREENED_LENGTH; length <= most; length *= 2) yield length
}

/** The least of some, because the process may collect garbage meanwhile. */
function leastCpuMs(run: () => unknown, allowedMs: number): number {
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
    if (least < allowedMs / 4 || least > HOPELESS * allowedMs) break
  }
  return least
}
