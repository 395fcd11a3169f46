// Extracts log messages, error messages and other texts of src/ from the syntax tree.
import { globSync, readFileSync } from 'node:fs'
import { parseSync, Visitor, type Node } from 'oxc-parser'

export type LogMessage = {
  readonly level: string
  readonly message: string
  readonly fields: readonly string[]
  /** The files that log it. */
  readonly paths: readonly string[]
}

export type ErrorMessage = {
  /** The name of an API error, or the class of an operator's error. */
  readonly kind: string
  readonly message: string
  readonly path: string
}

const ROOT = new URL('../', import.meta.url)
const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
/** Errors whose first argument is the message that an operator reads. */
const OPERATOR_ERRORS = new Set([
  'ChangeRefused',
  'ConfigError',
  'InvalidArgumentError',
  'MigrationError',
  'OperatorError',
])
const UNKNOWN = '…'
const SEVERAL_WORDS = /[a-z…'] [a-z…']/i
const QUERY = /^\s*(select|insert|update|delete|with|create|set|lock|begin|alter|drop|values)\b/i
/** Values of variables that are followed; scopes are ignored. */
const CONSTANTS = new Set(['Literal', 'TemplateLiteral', 'ObjectExpression'])

/** Every log message of src/, sorted by message. */
export function readLogMessages(): LogMessage[] {
  const found = new Map<string, LogMessage>()
  for (const source of readSources()) {
    new Visitor({
      CallExpression({ callee, arguments: [fields, message] }) {
        if (callee.type !== 'MemberExpression' || message === undefined) return
        const level = nameOf(callee.property)
        if (!LEVELS.has(level) || nameOf(callee.object) === 'console') return
        const entry = { level, message: source.render(message), fields: source.keysOf(fields) }
        const key = JSON.stringify(entry)
        const paths = found.get(key)?.paths ?? []
        found.set(key, { ...entry, paths: [...new Set([...paths, source.path])] })
      },
    }).visit(source.program)
  }
  return [...found.values()].toSorted((a, b) => (a.message < b.message ? -1 : 1))
}

/** Every message of an API error and of an operator's error. */
export function readErrorMessages(isApiError: (name: string) => boolean): ErrorMessage[] {
  const found: ErrorMessage[] = []
  for (const source of readSources()) {
    const add = (kind: string, message: Node | undefined) => {
      if (message) found.push({ kind, message: source.render(message), path: source.path })
    }
    new Visitor({
      NewExpression({ callee, arguments: [first, second] }) {
        if (nameOf(callee) === 'ApiError' && first) add(source.render(first), second)
        else if (OPERATOR_ERRORS.has(nameOf(callee))) add(nameOf(callee), first)
      },
      CallExpression({ arguments: [first, second] }) {
        if (first && second && isApiError(source.render(first))) add(source.render(first), second)
      },
    }).visit(source.program)
  }
  return found
}

/** Every other string of several words, such as parts of messages and printed lines. */
export function readOtherTexts(known: ReadonlySet<string>): { path: string; text: string }[] {
  const found = new Map<string, { path: string; text: string }>()
  for (const source of readSources()) {
    const { path } = source
    const queries = new Set<number>()
    const add = (node: Node) => {
      const text = source.render(node)
      if (!SEVERAL_WORDS.test(text) || QUERY.test(text) || known.has(text)) return
      // Queries and scripts.
      if (path.startsWith('src/store/') && text.includes('\n')) return
      if (!queries.has(node.start)) found.set(`${path} ${text}`, { path, text })
    }
    new Visitor({
      TaggedTemplateExpression: ({ quasi }) => void queries.add(quasi.start),
      Literal: (node) => void (typeof node.value === 'string' && add(node)),
      TemplateLiteral: add,
    }).visit(source.program)
  }
  return [...found.values()]
}

type Source = {
  readonly path: string
  readonly program: ReturnType<typeof parseSync>['program']
  /** The text of an expression; unknown parts are shown as `…`. */
  render(node: Node): string
  /** The names of the properties of an object expression. */
  keysOf(node: Node | undefined): string[]
}

function readSources(): Source[] {
  const paths = globSync('src/**/*.ts', { cwd: ROOT.pathname }).toSorted()
  return paths
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readSource(path, readFileSync(new URL(path, ROOT), 'utf8')))
}

function readSource(path: string, text: string): Source {
  const { program } = parseSync(path, text)
  const values = new Map<string, Node>()
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (init && CONSTANTS.has(init.type)) values.set(nameOf(id), init)
    },
  }).visit(program)
  const valueOf = (node: Node) => values.get(nameOf(node)) ?? node

  function render(node: Node): string {
    const value = valueOf(node)
    if (value.type === 'Literal') return String(value.value)
    if (value.type === 'BinaryExpression') return render(value.left) + render(value.right)
    if (value.type === 'ConditionalExpression')
      return `${render(value.consequent)} | ${render(value.alternate)}`
    if (value.type === 'ArrayExpression')
      return value.elements.map((each) => (each ? render(each) : UNKNOWN)).join(', ')
    if (value.type !== 'TemplateLiteral') return UNKNOWN
    return value.quasis.map((quasi) => quasi.value.cooked ?? '').join(UNKNOWN)
  }

  function keysOf(node: Node | undefined): string[] {
    const value = node && valueOf(node)
    if (value?.type !== 'ObjectExpression') throw new Error(`${path}: unknown fields of a log line`)
    return value.properties.flatMap((property) =>
      property.type === 'SpreadElement' ? keysOf(property.argument) : [nameOf(property.key)],
    )
  }

  return { path, program, render, keysOf }
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : ''
}
