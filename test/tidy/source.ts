import { parseSync, Visitor, type Comment, type Node, type VisitorObject } from 'oxc-parser'

/** One place where a file breaks a rule; the line counts from 1. */
export type Violation = { readonly line: number; readonly message: string }

/** A file as every rule sees it: its path from the repository's root, and its text. */
export type TextFile = {
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
}

/** A TypeScript file after one walk over its syntax tree, so that words in strings never count. */
export type SourceFile = TextFile & {
  readonly imports: readonly ImportSite[]
  readonly reExportsAll: readonly number[]
  readonly defaultExports: readonly number[]
  readonly onlyReExports: boolean
  readonly functions: readonly FunctionSite[]
  readonly literals: readonly Site[]
  readonly comments: readonly Site[]
  readonly environmentReads: readonly number[]
  readonly debuggers: readonly number[]
  readonly testSwitches: readonly Site[]
  readonly sleeps: readonly number[]
  /** Where content is taken out of what protects it. */
  readonly reveals: readonly number[]
}

type Site = { readonly line: number; readonly value: string }
/** `specifier` is null where a dynamic import computes its file. */
type ImportSite = { readonly line: number; readonly specifier: string | null }
type FunctionSite = { readonly line: number; readonly lineCount: number; readonly name: string }

type Span = { readonly start: number; readonly end: number }
type LineOf = (offset: number) => number

const GROUPS_OF_TESTS = new Set(['describe', 'suite'])
const TEST_FUNCTIONS = new Set(['test', 'it', 'describe', 'suite'])
const TEST_SWITCHES = new Set(['only', 'skip', 'todo'])
/** What of timers/promises waits; setImmediate only lets the event loop turn once. */
const DELAYS = new Set(['setTimeout', 'setInterval', 'scheduler'])

export function readText(path: string, text: string): TextFile {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return { path, text, lines }
}

export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  const [problem] = parsed.errors
  if (problem) throw new Error(`${path} does not parse: ${problem.message}`)
  const lineOf = countLines(text)
  const { staticImports, staticExports } = parsed.module
  const exported = staticExports.flatMap((statement) => statement.entries)
  const importSites: ImportSite[] = [
    ...staticImports.map(({ start, moduleRequest }) => ({
      line: lineOf(start),
      specifier: moduleRequest.value,
    })),
    ...exported.flatMap(({ start, moduleRequest }) =>
      moduleRequest ? [{ line: lineOf(start), specifier: moduleRequest.value }] : [],
    ),
  ]
  const found = walk(parsed.program, text, lineOf)
  const { body } = parsed.program
  return {
    ...readText(path, text),
    ...found,
    imports: [...importSites, ...found.imports],
    reExportsAll: exported
      .filter(({ importName }) => ['All', 'AllButDefault'].includes(importName.kind))
      .map(({ start }) => lineOf(start)),
    defaultExports: exported
      .filter(({ exportName }) => ['Default'].includes(exportName.kind))
      .map(({ start }) => lineOf(start)),
    onlyReExports: body.length > 0 && body.every((statement) => isReExport(statement)),
    comments: parsed.comments.flatMap((comment) => splitComment(comment, lineOf)),
  }
}

type Found = {
  imports: ImportSite[]
  functions: FunctionSite[]
  literals: Site[]
  environmentReads: number[]
  debuggers: number[]
  testSwitches: Site[]
  sleeps: number[]
  reveals: number[]
}

function walk(program: Parameters<Visitor['visit']>[0], text: string, lineOf: LineOf): Found {
  const found: Found = {
    imports: [],
    functions: [],
    literals: [],
    environmentReads: [],
    debuggers: [],
    testSwitches: [],
    sleeps: [],
    reveals: [],
  }
  const groupCallbacks = new Set<number>()
  const delays = new Set<string>()
  const measure = (node: Span & { id?: unknown }): void => {
    if (groupCallbacks.has(node.start)) return
    const line = lineOf(node.start)
    found.functions.push({ line, lineCount: lineOf(node.end) - line + 1, name: nameOf(node.id) })
  }
  new Visitor({
    ImportExpression(node) {
      const specifier = stringOf(node.source)
      found.imports.push({ line: lineOf(node.start), specifier })
    },
    TSImportType(node) {
      found.imports.push({ line: lineOf(node.start), specifier: stringOf(node.source) })
    },
    ImportDeclaration(node) {
      const names = node.specifiers.flatMap((specifier) =>
        specifier.type === 'ImportSpecifier' ? [nameOf(specifier.imported)] : ['*'],
      )
      const line = lineOf(node.start)
      if (isModule(node.source.value, 'process') && names.includes('env')) {
        found.environmentReads.push(line)
      }
    },
    ...watchMembers(found, lineOf),
    Program(node) {
      for (const name of delaysOf(node)) delays.add(name)
    },
    CallExpression(node) {
      const name = nameOf(node.callee)
      const { callee } = node
      const owner = callee.type === 'MemberExpression' ? nameOf(callee.object) : ''
      if (delays.has(name) || delays.has(owner)) found.sleeps.push(lineOf(node.start))
      if (GROUPS_OF_TESTS.has(name)) {
        for (const argument of node.arguments) groupCallbacks.add(argument.start)
      }
      for (const value of switchesOf(node)) {
        found.testSwitches.push({ line: lineOf(node.start), value })
      }
    },
    NewExpression(node) {
      if (isDelay(node, text)) found.sleeps.push(lineOf(node.start))
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    DebuggerStatement: (node) => void found.debuggers.push(lineOf(node.start)),
    Literal(node) {
      if (typeof node.value === 'string') {
        found.literals.push({ line: lineOf(node.start), value: node.value })
      }
    },
    TemplateLiteral(node) {
      const value = node.quasis.map((quasi) => quasi.value.raw).join('?')
      found.literals.push({ line: lineOf(node.start), value })
    },
  }).visit(program)
  return found
}

/** Reads of the environment, and of content, however they are spelt. */
function watchMembers(found: Found, lineOf: LineOf): VisitorObject {
  return {
    MemberExpression(node) {
      const property = node.computed ? stringOf(node.property) : nameOf(node.property)
      if (property === 'reveal') found.reveals.push(lineOf(node.start))
      if (nameOf(node.object) === 'process' && property === 'env') {
        found.environmentReads.push(lineOf(node.start))
      }
    },
    VariableDeclarator(node) {
      if (node.id.type !== 'ObjectPattern') return
      const keys = node.id.properties.map((property) =>
        property.type === 'Property' ? nameOf(property.key) : '',
      )
      if (keys.includes('reveal')) found.reveals.push(lineOf(node.start))
      if (keys.includes('env') && nameOf(node.init) === 'process')
        found.environmentReads.push(lineOf(node.start))
    },
  }
}

/** `test.skip(…)`, `t.todo()` and `test('…', { only: true }, …)` all leave something unrun. */
function switchesOf(call: Extract<Node, { type: 'CallExpression' }>): string[] {
  if (call.callee.type === 'MemberExpression') {
    const property = nameOf(call.callee.property)
    return TEST_SWITCHES.has(property) ? [`.${property}(`] : []
  }
  if (!TEST_FUNCTIONS.has(nameOf(call.callee))) return []
  return call.arguments
    .flatMap((argument) => (argument.type === 'ObjectExpression' ? argument.properties : []))
    .flatMap((property) => (property.type === 'Property' ? [nameOf(property.key)] : []))
    .filter((key) => TEST_SWITCHES.has(key))
}

/** A promise that a timer fulfils. A timer that only rejects is a deadline, which is welcome. */
function isDelay(created: Extract<Node, { type: 'NewExpression' }>, text: string): boolean {
  const [executor] = created.arguments
  if (nameOf(created.callee) !== 'Promise' || executor?.type !== 'ArrowFunctionExpression') {
    return false
  }
  const resolve = nameOf(executor.params[0])
  if (resolve === '') return false
  const fulfils = new RegExp(String.raw`\bsetTimeout\(\s*(\(\)\s*=>\s*\{?\s*)?${resolve}\b`)
  return fulfils.test(text.slice(created.start, created.end))
}

/** The names by which a file calls the delays of timers/promises. */
function delaysOf(program: Extract<Node, { type: 'Program' }>): string[] {
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ImportDeclaration') return []
    if (!isModule(statement.source.value, 'timers/promises')) return []
    return statement.specifiers
      .filter(
        (specifier) =>
          specifier.type !== 'ImportSpecifier' || DELAYS.has(nameOf(specifier.imported)),
      )
      .map(({ local }) => nameOf(local))
  })
}

function isReExport(statement: Node): boolean {
  if (statement.type === 'ExportAllDeclaration') return true
  return statement.type === 'ExportNamedDeclaration' && statement.source !== null
}

function isModule(specifier: string, name: string): boolean {
  return specifier === name || specifier === `node:${name}`
}

function nameOf(node: unknown): string {
  const candidate = node as { type?: string; name?: unknown } | null | undefined
  return candidate?.type === 'Identifier' && typeof candidate.name === 'string'
    ? candidate.name
    : ''
}

function stringOf(node: Node): string | null {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null
}

function splitComment(comment: Comment, lineOf: LineOf): Site[] {
  const first = lineOf(comment.start)
  return comment.value.split('\n').map((value, index) => ({ line: first + index, value }))
}

function countLines(text: string): LineOf {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? Infinity) <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
