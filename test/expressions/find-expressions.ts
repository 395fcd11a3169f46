import { parseSync, Visitor, type Node } from 'oxc-parser'

/** A regular expression that is written out in a file. */
export type WrittenExpression = {
  readonly path: string
  readonly line: number
  readonly expression: RegExp
}
/** A place where an expression is made from other text. */
export type BuiltExpression = {
  readonly path: string
  readonly line: number
  readonly code: string
}
export type Expressions = {
  readonly written: readonly WrittenExpression[]
  readonly built: readonly BuiltExpression[]
}

/** These make an expression of a string; `split` and `replace` search for it as it is. */
const MAKE_EXPRESSIONS = new Set(['match', 'matchAll', 'search'])

/** Every regular expression of a file, from its syntax tree. */
export function findExpressions(path: string, text: string): Expressions {
  const written: WrittenExpression[] = []
  const built: BuiltExpression[] = []
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const note = (node: Node, source: Node | undefined, flags = '') => {
    const line = lineOf(node.start)
    if (source?.type === 'Literal' && typeof source.value === 'string')
      written.push({ path, line, expression: new RegExp(source.value, flags) })
    else if (source?.type !== 'Literal')
      built.push({ path, line, code: text.slice(node.start, node.end) })
  }
  const noteCall = (node: Extract<Node, { type: 'CallExpression' | 'NewExpression' }>) => {
    const [source] = node.arguments
    if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') note(node, source)
    if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier')
      return
    if (MAKE_EXPRESSIONS.has(node.callee.property.name)) note(node, source)
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      written.push({ path, line: lineOf(node.start), expression: new RegExp(pattern, flags) })
    },
    NewExpression: noteCall,
    CallExpression: noteCall,
    Property(node) {
      // The keyword of TypeBox, which compiles it with the flag `u`.
      const isPattern = node.key.type === 'Identifier' && node.key.name === 'pattern'
      const { value } = node
      if (isPattern && ['Literal', 'TemplateLiteral'].includes(value.type)) note(node, value, 'u')
    },
  }).visit(parseSync(path, text).program)
  return { written, built }
}

/** The patterns in calls of Lua's `match`, `gmatch`, `gsub` and `find`. */
export function findLuaPatterns(text: string): string[] {
  const calls = /(?:\bstring\.|:)(?:match|gmatch|gsub|find)\([^'\n]*'([^'\n]*)'/g
  return [...text.matchAll(calls)].map(([, pattern = '']) => pattern)
}
