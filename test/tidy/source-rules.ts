import { findForbiddenImports } from './modules.ts'
import type { Violation, SourceFile } from './source.ts'

export type SourceRule = {
  readonly name: string
  readonly find: (source: SourceFile) => readonly Violation[]
}

const FUNCTION_LINES_MAX = 70

/** The settings have one reader; the test harness and the stack stand outside the service. */
const MAY_READ_ENVIRONMENT = [
  'src/config/load.ts',
  'src/config/load.test.ts',
  'test/harness/',
  'test/runner/',
  'stack/',
]

/** Proofs compare the ledger with what clients saw, so they and the harness may ask in SQL. */
const MAY_HOLD_QUERIES = [
  'src/store/',
  'test/harness/',
  'test/platform/',
  'test/prove/',
  'test/tidy',
  'stack/',
]

/** Who encrypts content, and who gives it out on purpose. */
const MAY_REVEAL = ['src/store/content/sealed-content.ts', 'src/cli/content.ts', 'test/']

const QUERY = new RegExp(
  [
    String.raw`^\s*select\s[^]*\sfrom\s`,
    String.raw`\binsert\s+into\s+\S`,
    String.raw`^\s*update\s+\S+\s+set\s`,
    String.raw`\bdelete\s+from\s+\S`,
    String.raw`\b(create|alter|drop)\s+(table|index|database|schema)\b`,
    String.raw`\b(redis|server)\.p?call\s*\(`,
  ].join('|'),
  'i',
)

/** Tests, proofs, the programs that they use, and benchmarks. */
const MUST_NOT_SLEEP = /\.test\.tsx?$|^test\/|^bench\//

/** The one way to keep a delay there: a comment right above it that says why time has to pass. */
const ALLOWED_SLEEP = /^\s*(time is under test|pacing): \S+/

const UNNUMBERED_TASK = /\b(TODO|FIXME)\b(?!.*#\d)/
const LEFTOVER = /\bremove before merge\b|\bdo not (merge|commit)\b/i

export const SOURCE_RULES: readonly SourceRule[] = [
  { name: 'imports go down only', find: findForbiddenImports },
  {
    name: `a function has at most ${FUNCTION_LINES_MAX} lines`,
    find: ({ functions }) =>
      functions
        .filter(({ lineCount }) => lineCount > FUNCTION_LINES_MAX)
        .map(({ line, name, lineCount }) => ({
          line,
          message: `${name || 'a function'} has ${lineCount} lines`,
        })),
  },
  {
    name: 'only src/config/load.ts reads the environment',
    find: ({ path, environmentReads }) =>
      within(path, MAY_READ_ENVIRONMENT) ? [] : at(environmentReads, 'reads the environment'),
  },
  {
    name: 'content is revealed where it is encrypted or exported only',
    find: ({ path, reveals }) =>
      path.endsWith('.test.ts') || within(path, MAY_REVEAL) ? [] : at(reveals, 'reveals content'),
  },
  {
    name: 'SQL and Lua stand in src/store only',
    find: ({ path, literals }) =>
      within(path, MAY_HOLD_QUERIES)
        ? []
        : literals
            .filter(({ value }) => QUERY.test(value))
            .map(({ line }) => ({ line, message: 'holds a query in a string' })),
  },
  {
    name: 'exports are named, one by one, where they are written',
    find: ({ path, reExportsAll, defaultExports, onlyReExports }) => [
      ...at(reExportsAll, 'exports everything of another file'),
      ...at(defaultExports, 'has a default export'),
      ...(onlyReExports ? [{ line: 1, message: `${path} only passes on other files` }] : []),
    ],
  },
  {
    name: 'an open task names its issue',
    find: ({ comments }) =>
      comments
        .filter(({ value }) => UNNUMBERED_TASK.test(value))
        .map(({ line }) => ({ line, message: 'an open task without an issue number (#N)' })),
  },
  {
    name: 'nothing is left over from debugging',
    find: ({ comments, debuggers }) => [
      ...at(debuggers, 'stops in the debugger'),
      ...comments
        .filter(({ value }) => LEFTOVER.test(value))
        .map(({ line }) => ({ line, message: 'was not meant to be merged' })),
    ],
  },
  {
    name: 'every test runs',
    find: ({ path, testSwitches }) =>
      path.endsWith('.test.ts')
        ? testSwitches.map(({ line, value }) => ({ line, message: `has ${value}` }))
        : [],
  },
  {
    name: 'tests, proofs and benchmarks do not sleep',
    find: ({ path, sleeps, comments }) => {
      if (!MUST_NOT_SLEEP.test(path)) return []
      const reasons = new Map(comments.map(({ line, value }) => [line, value]))
      const found = sleeps.filter((line) => !isExcused(line, reasons))
      return at(found, 'waits for time to pass instead of for the thing itself')
    },
  },
]

/** Climbs the comment lines right above, since a reason may need more than one. */
function isExcused(line: number, comments: ReadonlyMap<number, string>): boolean {
  for (let above = line - 1; comments.has(above); above -= 1) {
    if (ALLOWED_SLEEP.test(comments.get(above) ?? '')) return true
  }
  return false
}

function within(path: string, places: readonly string[]): boolean {
  return places.some((place) => path.startsWith(place))
}

function at(lines: readonly number[], message: string): Violation[] {
  return lines.map((line) => ({ line, message }))
}
