/**
 * Runs the test suites in order, on real servers: `npm test -- [--only SUITE] [FILES…]`.
 * `--since REV` runs what the changes since then (default: main) lead to, and the rules; `--wide`
 * adds tests that meet a change only by starting the whole service.
 * `--record` notes how long each file took; later runs start the longest first.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { completeSince, listChangedFiles } from './runner/changed-files.ts'
import { chooseTests, needsBuild } from './runner/choose-tests.ts'
import { longestFirst, readDurations, recordDurations } from './runner/durations.ts'
import { report, runTests, type Tally } from './runner/run-tests.ts'
import { bringUpStack } from './harness/servers/stack.ts'
import { listTests, ROOT, suiteOf, SUITES, type SuiteName } from './suites.ts'

/** A test that takes longer hangs; a file gets a few of them plus its servers' start. */
const TEST_LIMIT_MS = 120_000
const FILE_LIMIT_MS = 300_000
const END_LIMIT_MS = 60_000
/** Their files have a process each: what starts servers must not meet what another file left. */
const NEEDS_SERVERS = new Set<SuiteName>(['servers', 'api'])
/** Files that a suite names with the seconds they took. */
const SLOWEST = 5

type Plan = { readonly suite: SuiteName; readonly files: readonly string[] }

function choose(only: string | undefined, named: readonly string[]): Plan[] {
  if (only !== undefined && !SUITES.some((name) => name === only))
    throw new Error(`no suite ${only}; there are ${SUITES.join(', ')}`)
  const wanted = new Set(named.map((path) => relative(ROOT, resolve(path))))
  const files = listTests()
  const unknown = [...wanted].filter((path) => !files.includes(path))
  if (unknown.length > 0) throw new Error(`not a test file: ${unknown.join(', ')}`)
  const chosen = wanted.size === 0 ? files : files.filter((path) => wanted.has(path))
  return SUITES.filter((suite) => only === undefined || suite === only)
    .map((suite) => ({ suite, files: chosen.filter((path) => suiteOf(path) === suite) }))
    .filter((plan) => plan.files.length > 0)
}

/** Prints each chosen file and the reason. */
function listSince(revision: string, wide: boolean): string[] {
  const changed = listChangedFiles(revision)
  const isRule = (file: string) => suiteOf(file) === 'rules'
  const { chosen, left } = chooseTests(changed, listTests(), isRule)
  console.log(`${changed.length} files differ from ${revision}. Chosen test files:`)
  for (const { file, why } of chosen) console.log(`  ${file}: ${why}`)
  if (left.length > 0 && !wide)
    console.log(`Left to CI, or to --wide: ${left.length} that only start the whole service.`)
  const files = [...chosen.map(({ file }) => file), ...(wide ? left : [])]
  if (needsBuild(changed, files)) buildWebApp()
  return files.map((file) => resolve(ROOT, file))
}

function buildWebApp(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
}

type Taken = Record<string, number>

async function runSuite({ suite, files }: Plan, tally: Tally): Promise<Taken> {
  const startedMs = performance.now()
  const before = { passed: tally.passed, failed: tally.failures.length }
  const taken: Taken = {}
  const options = {
    cwd: ROOT,
    testLimitMs: TEST_LIMIT_MS,
    fileLimitMs: FILE_LIMIT_MS,
    endLimitMs: END_LIMIT_MS,
    filesAtOnce: availableParallelism() + 1,
    sharesProcesses: !NEEDS_SERVERS.has(suite),
    onFileEnd: (file: string, seconds: number) => void (taken[file] = seconds),
  }
  await runTests(longestFirst(files, readDurations().tests), options, tally)
  const passed = tally.passed - before.passed
  const failed = tally.failures.length - before.failed
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  for (const file of longestFirst(files, taken).slice(0, SLOWEST))
    console.log(`  ${taken[file]?.toFixed(1)} s ${file}`)
  console.log(`${suite}: ${passed} passed, ${failed} failed in ${seconds} s`)
  return taken
}

async function leaveOutServers(plans: readonly Plan[]): Promise<readonly Plan[]> {
  const isServed = ({ suite }: Plan) => NEEDS_SERVERS.has(suite)
  const served = plans.filter(isServed)
  if (served.length === 0 || (await bringUpStack())) return plans
  console.log('This machine cannot run the servers, so these test files are left out:')
  for (const file of served.flatMap(({ files }) => files)) console.log(`  ${file}`)
  return plans.filter((plan) => !isServed(plan))
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    args: completeSince(process.argv.slice(2)),
    options: {
      only: { type: 'string' },
      since: { type: 'string' },
      wide: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const named = values.since === undefined ? positionals : listSince(values.since, values.wide)
  const plans = choose(values.only, named)
  if (plans.length === 0) throw new Error('there is no test to run')
  const chosen = plans.flatMap(({ files }) => files)
  // A clean clone has no web app. One that is older than the sources is built by --since only.
  if (needsBuild([], chosen)) buildWebApp()
  const tally: Tally = { passed: 0, failures: [] }
  const taken: Taken = {}
  for (const plan of await leaveOutServers(plans)) Object.assign(taken, await runSuite(plan, tally))
  if (values.record) recordDurations('tests', taken, (file) => existsSync(resolve(ROOT, file)))
  return report(tally)
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('\n0 passed, 1 failed')
  process.exitCode = 1
}
