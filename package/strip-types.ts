import { stripTypeScriptTypes } from 'node:module'
import { parseSync, Visitor } from 'oxc-parser'

/**
 * A module as JavaScript. Types become spaces and `.ts` becomes `.js`, so that every line and
 * column is the one of the source: a stack trace of the package points into the repository.
 */
export function stripTypes(path: string, source: string): string {
  const code = stripTypeScriptTypes(source, { mode: 'strip' })
  const parsed = parseSync(path.replace(/\.ts$/, '.js'), code)
  const [problem] = parsed.errors
  if (problem) throw new Error(`${path} does not parse without its types: ${problem.message}`)
  let renamed = code
  new Visitor({
    Literal({ value, end }) {
      if (typeof value !== 'string' || !isModulePath(value)) return
      const extension = end - '.ts'.length - QUOTE.length
      renamed = `${renamed.slice(0, extension)}.js${renamed.slice(end - QUOTE.length)}`
    },
  }).visit(parsed.program)
  return renamed
}

const QUOTE = "'"

/** In an import, an `import()` or a `new URL('./worker.ts', import.meta.url)`. */
function isModulePath(text: string): boolean {
  return /^\.{1,2}\/.*\.ts$/.test(text)
}
