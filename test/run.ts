/** Runs the test suites in order, on real servers: `npm test -- [--only SUITE] [FILES…]`. */
import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { forEachLimited } from '../src/lib/for-each-limited.ts'
import { report, runTests, type Tally } from './harness/run-tests.ts'
import { bringUpStack } from './harness/stack.ts'
import { listTests, ROOT, suiteOf, SUITES, type SuiteName } from './suites.ts'

/** The suites share two cores with the servers they talk to. */
const FILES_AT_ONCE = 2
/** A test that takes longer hangs; a file gets a few of them plus its servers' start. */
const TEST_LIMIT_MS = 120_000
const FILE_LIMIT_MS = 300_000
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

async function runSuite({ suite, files }: Plan, tally: Tally): Promise<void> {
  const startedMs = performance.now()
  const before = { passed: tally.passed, failed: tally.failures.length }
  const limits = { timeoutMs: TEST_LIMIT_MS, runTimeoutMs: FILE_LIMIT_MS }
  const taken: { readonly file: string; readonly seconds: number }[] = []
  await forEachLimited(FILES_AT_ONCE, files, async (file) => {
    const fileStartedMs = performance.now()
    await runTests([file], { cwd: ROOT, ...limits }, tally)
    taken.push({ file, seconds: (performance.now() - fileStartedMs) / 1000 })
  })
  const passed = tally.passed - before.passed
  const failed = tally.failures.length - before.failed
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  for (const slow of taken.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST))
    console.log(`  ${slow.seconds.toFixed(1)} s ${slow.file}`)
  console.log(`${suite}: ${passed} passed, ${failed} failed in ${seconds} s`)
}

async function leaveOutServers(plans: readonly Plan[]): Promise<readonly Plan[]> {
  const isServed = ({ suite }: Plan) => suite === 'servers' || suite === 'api'
  const served = plans.filter(isServed)
  if (served.length === 0 || (await bringUpStack())) return plans
  console.log('This machine cannot run the servers, so these test files are left out:')
  for (const file of served.flatMap(({ files }) => files)) console.log(`  ${file}`)
  return plans.filter((plan) => !isServed(plan))
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string' } },
    allowPositionals: true,
  })
  const plans = choose(values.only, positionals)
  if (plans.length === 0) throw new Error('there is no test to run')
  const tally: Tally = { passed: 0, failures: [] }
  for (const plan of await leaveOutServers(plans)) await runSuite(plan, tally)
  return report(tally)
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('\n0 passed, 1 failed')
  process.exitCode = 1
}
