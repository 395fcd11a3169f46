import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { linksOf } from './import-graph.ts'

export type Chosen = { readonly file: string; readonly why: string }
export type Choice = {
  readonly chosen: readonly Chosen[]
  /** Tests that meet a change only because they start the whole service. */
  readonly left: readonly string[]
}

/** A change of these may change how any test runs. */
const EVERYTHING = new RegExp(
  [
    String.raw`^(package(-lock)?\.json|tsconfig\.json|\.npmrc|\.nvmrc)$`,
    String.raw`^(stack/|test/runner/|test/(run|suites)\.ts$)`,
  ].join('|'),
)
/** They bring all parts together, so everything that starts the service leads to everything. */
const WHOLE_SERVICE = /^src\/(main\.ts|start\/|cli\/program\.ts)/
const WEB_APP = /^web\/(src\/|index\.html|public\/|vite\.config\.ts)/
const WEB_PAGE = /^web\/src\/pages\//
const BUILT = new URL('../../web/dist/index.html', import.meta.url)
const IN_BROWSER = /^test\/browser\//
/** Of the tests that start the whole service, these run for a change of the given files. */
const SMOKE: readonly (readonly [RegExp, string])[] = [
  [/^src\/(?!platform\/)/, 'test/api/chat-completions.stream.test.ts'],
  [/^(web|src\/(platform|http))\//, 'test/browser/entry.test.ts'],
]

/** Chooses the tests that lead to a changed file by what they import, read and start. */
export function chooseTests(
  changed: readonly string[],
  tests: readonly string[],
  isRule: (test: string) => boolean,
): Choice {
  const everything = changed.find((path) => EVERYTHING.test(path))
  const chosen: Chosen[] = []
  const left: string[] = []
  for (const file of tests) {
    const why = everything ?? reasonFor(file, changed, isRule(file))
    if (why !== undefined)
      chosen.push({ file, why: why === everything ? `${why} may change any test` : why })
    else if (meetsWhole(file, changed)) left.push(file)
  }
  const named = left.filter((file) => isSmoke(file, changed) || sharesName(file, changed))
  return {
    chosen: [...chosen, ...named.map((file) => ({ file, why: 'starts the whole service' }))],
    left: left.filter((file) => !named.includes(file)),
  }
}

function reasonFor(file: string, changed: readonly string[], isRule: boolean): string | undefined {
  if (isRule) return 'is a rule about all files'
  const sharedByPages = changed.find((path) => WEB_APP.test(path) && !WEB_PAGE.test(path))
  if (IN_BROWSER.test(file) && sharedByPages !== undefined) return `shows ${sharedByPages}`
  return findChange(file, changed, (path) => WHOLE_SERVICE.test(path))
}

function meetsWhole(file: string, changed: readonly string[]): boolean {
  if (IN_BROWSER.test(file) && changed.some((path) => WEB_APP.test(path))) return true
  return findChange(file, changed, () => false) !== undefined
}

/** The first changed file that a test leads to, and through which file. */
function findChange(
  test: string,
  changed: readonly string[],
  isEnd: (path: string) => boolean,
): string | undefined {
  const reached = new Set([test])
  if (changed.includes(test)) return 'is changed'
  for (const file of reached) {
    if (isEnd(file)) continue
    const { imports, files, folders, patterns } = linksOf(file)
    const meets = (path: string) =>
      imports.includes(path) ||
      files.includes(path) ||
      folders.some((folder) => path.startsWith(folder)) ||
      patterns.some((pattern) => posix.matchesGlob(path, pattern))
    const found = changed.find(meets)
    if (found !== undefined) return `${file === test ? 'uses' : `through ${file}:`} ${found}`
    for (const next of [...imports, ...files]) reached.add(next)
  }
  return undefined
}

/** Whether tests in a browser would see no web app, or an old one. */
export function needsBuild(changed: readonly string[], files: readonly string[]): boolean {
  if (!files.some((file) => IN_BROWSER.test(file))) return false
  return changed.some((path) => WEB_APP.test(path)) || !existsSync(BUILT)
}

function isSmoke(file: string, changed: readonly string[]): boolean {
  return SMOKE.some(([of, test]) => test === file && changed.some((path) => of.test(path)))
}

/** `src/platform/keys/…` and `web/src/pages/keys/…` have tests that are called `keys`. */
function sharesName(file: string, changed: readonly string[]): boolean {
  const stem = posix.basename(file).replace(/\..*$/, '')
  return changed.some((path) =>
    path.split('/').some((segment) => segment.replace(/\..*$/, '') === stem),
  )
}
