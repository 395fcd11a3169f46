import { parseSync, Visitor, type Node } from 'oxc-parser'

type Text = { readonly line: number; readonly text: string }

/** Attributes of elements and properties of parts that people read or hear. */
const READ = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'caption',
  'description',
  'hint',
  'label',
  'placeholder',
  'title',
  'what',
])
/** Of what may stand in an element as code: addresses, names of the API. */
const CODE = new Set(['code', 'kbd', 'pre'])
/** A word: two letters, so that units, signs and initials are none. */
const WORD = /\p{L}{2}/u
/** The same in every language. */
const SAME = new Set(['.env', 'UTC'])

/** Texts in JSX that a person reads, whatever expression they are part of. */
export function findTexts(path: string, source: string): Text[] {
  const { program, errors } = parseSync(path, source)
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`)
  const found: Text[] = []
  const inCode = new Set<Node>()
  const note = (start: number, text: string) => {
    const line = source.slice(0, start).split('\n').length
    if (WORD.test(text) && !SAME.has(text.trim())) found.push({ line, text: text.trim() })
  }
  new Visitor({
    JSXElement(node) {
      const { name } = node.openingElement
      if (name.type === 'JSXIdentifier' && CODE.has(name.name))
        for (const child of node.children) inCode.add(child)
    },
    JSXText(node) {
      if (!inCode.has(node)) note(node.start, node.value)
    },
    JSXAttribute(node) {
      if (node.name.type !== 'JSXIdentifier' || !READ.has(node.name.name)) return
      if (node.value?.type === 'Literal') note(node.value.start, node.value.value)
      if (node.value?.type === 'JSXExpressionContainer')
        for (const text of textsIn(node.value.expression)) note(text.start, text.value)
    },
    Property(node) {
      // A description in an object is that of a tool or a schema, which a model reads.
      if (node.key.type !== 'Identifier' || node.key.name === 'description') return
      if (!READ.has(node.key.name)) return
      for (const text of textsIn(node.value)) note(text.start, text.value)
    },
    'JSXElement:exit'(node) {
      for (const child of node.children)
        if (child.type === 'JSXExpressionContainer' && !inCode.has(child))
          for (const text of textsIn(child.expression)) note(text.start, text.value)
    },
  }).visit(program)
  return found.toSorted((one, other) => one.line - other.line)
}

/** What an expression shows: its literals, and those that it chooses between. */
function textsIn(node: Node): { start: number; value: string }[] {
  const { start, type } = node
  if (type === 'Literal' && typeof node.value === 'string') return [{ start, value: node.value }]
  if (type === 'TemplateLiteral')
    return [{ start, value: node.quasis.map((quasi) => quasi.value.raw).join('?') }]
  if (type === 'ConditionalExpression')
    return [...textsIn(node.consequent), ...textsIn(node.alternate)]
  if (type === 'LogicalExpression') return [...textsIn(node.left), ...textsIn(node.right)]
  if (type === 'BinaryExpression' && node.operator === '+')
    return [...textsIn(node.left), ...textsIn(node.right)]
  return []
}
