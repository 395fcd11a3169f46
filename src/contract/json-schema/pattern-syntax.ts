// A pattern as a tree. Syntax that JavaScript does not know is read as some engine reads it.
export type PatternNode =
  // One character or class.
  | { readonly kind: 'atom'; readonly text: string }
  // An anchor or a flag, which matches no character.
  | { readonly kind: 'empty' }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | {
      readonly kind: 'repetition'
      readonly part: PatternNode
      readonly least: number
      readonly most: number
    }

type Reader = { readonly pattern: string; index: number }

const GROUP_OPENING = /\((?:\?(?::|P?<\w+>|[ims]*(?:-[ims]+)?:))?/y
const FLAGS = /\(\?[ims]*(?:-[ims]+)?\)/y
const QUANTIFIER = /(?:([*+?])|\{(\d*)(?:(,)(\d*))?\})[?+]?/y
const ATOM = /\\[pP]\{\w*\}|\\u\{?[\da-fA-F]+\}?|\\x[\da-fA-F]{2}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^]/y

// The pattern must be well formed.
export function readPattern(pattern: string): PatternNode {
  return readChoice({ pattern, index: 0 })
}

// Matches one character or class against one character, so it cannot backtrack. Undefined for
// syntax that JavaScript does not know; it counts as matching anything.
export function compileAtom(atom: string): RegExp | undefined {
  try {
    return new RegExp(`^${/^[*+?{})]$/.test(atom) ? '\\' : ''}${atom}$`, 's')
  } catch {
    return undefined
  }
}

function readChoice(reader: Reader): PatternNode {
  const branches: PatternNode[] = []
  for (;;) {
    branches.push(readSequence(reader))
    if (reader.pattern[reader.index] !== '|') break
    reader.index += 1
  }
  const [only] = branches
  return branches.length === 1 && only !== undefined ? only : { kind: 'choice', branches }
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.index < reader.pattern.length && !/[|)]/.test(reader.pattern[reader.index] ?? '')) {
    let part = readPart(reader)
    for (let count = readQuantifier(reader); count !== undefined; count = readQuantifier(reader))
      part = { kind: 'repetition', part, ...count }
    parts.push(part)
  }
  return { kind: 'sequence', parts }
}

function readPart(reader: Reader): PatternNode {
  if (take(reader, FLAGS) !== undefined) return { kind: 'empty' }
  if (take(reader, GROUP_OPENING) !== undefined) {
    const inner = readChoice(reader)
    reader.index += 1
    return inner
  }
  const text = take(reader, ATOM)?.[0] ?? ''
  return /^(?:\^|\$|\\[bBAzZ])$/.test(text) ? { kind: 'empty' } : { kind: 'atom', text }
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

function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.index
  const found = expression.exec(reader.pattern)
  if (found === null) return undefined
  reader.index += found[0].length
  return found
}
