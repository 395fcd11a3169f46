import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type Node } from 'oxc-parser'

/** How often each branch was taken; a counter per branch. */
export type Coverage = {
  /** Clears the counters before a run. */
  reset(): void
  /** Makes everything new again. */
  forget(): void
  /** Whether the run took a branch for the first time, or clearly more often than before. */
  isNew(): boolean
  readonly branches: () => { readonly taken: number; readonly known: number }
}

const BRANCHES_MAX = 65_536
const SOURCES = new URL('../../src/', import.meta.url).href

/**
 * Adds a counter to every branch of `src/` while Node loads it. The types are still there; Node
 * removes them afterwards. Must be called before the first import of the sources.
 */
export function recordCoverage(): Coverage {
  const counters = new Uint8Array(BRANCHES_MAX)
  const seen = new Uint8Array(BRANCHES_MAX)
  let known = 0
  Object.assign(globalThis, { __branches: counters })
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(SOURCES) || !url.endsWith('.ts')) return nextLoad(url, context)
      const { code, count } = instrument(url, readFileSync(fileURLToPath(url), 'utf8'), known)
      known += count
      if (known > BRANCHES_MAX) throw new RangeError('more branches than counters')
      return { format: 'module-typescript', source: code, shortCircuit: true }
    },
  })
  return {
    reset: () => void counters.fill(0, 0, known),
    forget: () => void seen.fill(0),
    isNew() {
      let isNew = false
      for (let branch = 0; branch < known; branch += 1) {
        const count = counters[branch] as number
        if (count === 0) continue
        const bit = bitOf(count)
        if (((seen[branch] as number) & bit) !== 0) continue
        seen[branch] = (seen[branch] as number) | bit
        isNew = true
      }
      return isNew
    },
    branches() {
      return { taken: seen.subarray(0, known).filter((bits) => bits !== 0).length, known }
    },
  }
}

/** Counts of the same power of two are alike. */
function bitOf(count: number): number {
  return 1 << (31 - Math.clz32(count))
}

type Edit = { readonly at: number; readonly text: string }

function instrument(path: string, text: string, first: number): { code: string; count: number } {
  const edits: Edit[] = []
  let next = first
  const count = () => `__b[${next++}]++`
  const enter = (block: Node) => edits.push({ at: block.start + 1, text: `${count()};` })
  const wrap = (expression: Node) =>
    edits.push({ at: expression.start, text: `(${count()},` }, { at: expression.end, text: ')' })
  const embrace = (statement: Node | null) => {
    if (statement === null || statement.type === 'BlockStatement') return
    edits.push({ at: statement.start, text: `{${count()};` }, { at: statement.end, text: '}' })
  }
  new Visitor({
    BlockStatement: (node) => void enter(node),
    ArrowFunctionExpression(node) {
      if (node.body.type !== 'BlockStatement' && node.expression) wrap(node.body)
    },
    IfStatement(node) {
      embrace(node.consequent)
      embrace(node.alternate)
    },
    ForStatement: (node) => embrace(node.body),
    ForOfStatement: (node) => embrace(node.body),
    WhileStatement: (node) => embrace(node.body),
    ConditionalExpression(node) {
      wrap(node.consequent)
      wrap(node.alternate)
    },
    LogicalExpression: (node) => void wrap(node.right),
    SwitchCase(node) {
      const [statement] = node.consequent
      if (statement) edits.push({ at: statement.start, text: `${count()};` })
    },
  }).visit(parseSync(path, text).program)
  const hashbang = /^#!.*\n/.exec(text)?.[0].length ?? 0
  edits.push({ at: hashbang, text: 'var __b=globalThis.__branches;' })
  return { code: apply(text, edits), count: next - first }
}

/** Edits at the same place keep their order: outer nodes are visited before inner ones. */
function apply(text: string, edits: readonly Edit[]): string {
  let code = ''
  let at = 0
  const closing = (edit: Edit) => edit.text === ')' || edit.text === '}'
  const ordered = edits
    .map((edit, index) => ({ ...edit, index }))
    .toSorted((a, b) => {
      if (a.at !== b.at) return a.at - b.at
      if (closing(a) !== closing(b)) return closing(a) ? -1 : 1
      return closing(a) ? b.index - a.index : a.index - b.index
    })
  for (const edit of ordered) {
    code += text.slice(at, edit.at) + edit.text
    at = edit.at
  }
  return code + text.slice(at)
}
