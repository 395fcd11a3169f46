import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { importedBy } from './runner/import-graph.ts'

export const ROOT = resolve(import.meta.dirname, '..')

/** In the order in which they run. */
export const SUITES = ['unit', 'rules', 'servers', 'api'] as const
export type SuiteName = (typeof SUITES)[number]

const TESTS = '{src,web,stack,openapi,docs,bench,package,test}/**/*.test.ts'
/** The client SDKs have a package, and a runner, of their own. */
const ELSEWHERE = /^test\/clients\/|^package\/out\/|\/node_modules\//

/** Every way to a server imports one of these: where the servers are, or their programs. */
const SERVER_SOURCES = ['stack/state.ts', 'stack/programs.ts']

export function listTests(): string[] {
  return globSync(TESTS, { cwd: ROOT })
    .filter((path) => !ELSEWHERE.test(path))
    .toSorted()
}

/** Each test file belongs to exactly one suite, by the files it imports and not by a list. */
export function suiteOf(path: string): SuiteName {
  if (/^test\/((?:tidy|docs|expressions)\/.*|[^/]*)$/.test(path)) return 'rules'
  // The stack's own tests use its files, but no server.
  if (path.startsWith('stack/') || !needsServers(path)) return 'unit'
  return path.startsWith('test/api/') ? 'api' : 'servers'
}

/** Whether a file imports, directly or not, what leads to PostgreSQL, Valkey or an engine. */
function needsServers(path: string): boolean {
  const reached = importedBy(path)
  return SERVER_SOURCES.some((source) => reached.has(source))
}
