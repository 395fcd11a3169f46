/** Runs the test suites in order, on real servers: `npm test -- [--only SUITE] [FILES…]`. */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect, parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dirname, '..')

/** What `stack/stack.ts up` answers on a machine that cannot have the servers at all. */
const NO_STACK_HERE = 3

/** The suites share two cores with the servers they talk to. */
const FILES_AT_ONCE = 2
/** A test that takes longer hangs; a file gets a few of them plus its servers' start. */
const TEST_LIMIT_MS = 120_000
const FILE_LIMIT_MS = 300_000
/** Only the end of what a file printed is kept, and shown when it failed. */
const OUTPUT_CHARACTERS_MAX = 8_000

type Suite = {
  readonly name: string
  readonly patterns: readonly string[]
  readonly needsServers: boolean
}

const SUITES: readonly Suite[] = [
  {
    name: 'unit',
    patterns: ['{src,stack,openapi,docs,bench}/**/*.test.ts', 'test/harness/**/*.test.ts'],
    needsServers: false,
  },
  {
    name: 'rules',
    patterns: ['test/*.test.ts', 'test/{tidy,contract}/**/*.test.ts'],
    needsServers: false,
  },
  {
    name: 'store',
    patterns: ['src/{store,cli,start}/**/*.test.ts'],
    needsServers: true,
  },
  ...['api', 'console', 'worker', 'e2e'].map((name) => ({
    name,
    patterns: [`test/${name}/**/*.test.ts`],
    needsServers: true,
  })),
  // A folder that nobody listed above still runs: a test that no suite knows would never fail.
  { name: 'rest', patterns: ['test/**/*.test.ts'], needsServers: true },
]

/** The client SDKs have a package, and a runner, of their own. */
const ELSEWHERE = /^test\/clients\/|\/node_modules\//

type Plan = { readonly suite: Suite; readonly files: readonly string[] }
type Failure = { readonly file: string; readonly test: string; readonly reason: string }
type Tally = { passed: number; readonly failures: Failure[] }

/** What of node:test's events is read here. Output has a message, results have details. */
type RunEvent = { readonly type: string; readonly data: EventData }
type EventData = {
  readonly name: string
  readonly nesting: number
  readonly file?: string
  readonly message?: string
  readonly skip?: string | boolean
  readonly todo?: string | boolean
  readonly details: {
    readonly type?: string
    readonly error?: Error & { readonly failureType?: string }
  }
}

/** Starts the servers the tests need, or finds them running. False where they cannot be had. */
export async function bringUpStack(): Promise<boolean> {
  const code = await runNode(['stack/stack.ts', 'up'])
  if (code !== 0 && code !== NO_STACK_HERE) throw new Error(`the stack did not start (${code})`)
  return code === 0
}

/** Runs a script of ours under this very node and hands back its exit code. */
export async function runNode(command: readonly string[], limitMs?: number): Promise<number> {
  const { promise, resolve: finish, reject } = Promise.withResolvers<number>()
  const options = { cwd: ROOT, stdio: 'inherit', ...(limitMs && { timeout: limitMs }) } as const
  const child = spawn(process.execPath, command, options)
  child.once('error', reject)
  child.once('close', (code) => finish(code ?? 1))
  return promise
}

function listFiles(patterns: readonly string[]): string[] {
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  return paths.filter((path) => !ELSEWHERE.test(path)).toSorted()
}

/** Each file belongs to one suite. Those with servers choose first: their folders are narrower. */
function assignFiles(): Plan[] {
  const taken = new Set<string>()
  const choosing = [
    ...SUITES.filter(({ name }) => name === 'store'),
    ...SUITES.filter(({ name }) => name !== 'store'),
  ]
  const filesOf = new Map<Suite, string[]>()
  for (const suite of choosing) {
    const files = listFiles(suite.patterns).filter((path) => !taken.has(path))
    for (const path of files) taken.add(path)
    filesOf.set(suite, files)
  }
  return SUITES.map((suite) => ({ suite, files: filesOf.get(suite) ?? [] }))
}

function choose(plans: readonly Plan[], only: string | undefined, named: string[]): Plan[] {
  if (only !== undefined && !plans.some(({ suite }) => suite.name === only)) {
    throw new Error(`no suite ${only}; there are ${SUITES.map(({ name }) => name).join(', ')}`)
  }
  const wanted = new Set(named.map((path) => relative(ROOT, resolve(path))))
  const known = new Set(plans.flatMap(({ files }) => files))
  const unknown = [...wanted].filter((path) => !known.has(path))
  if (unknown.length > 0) throw new Error(`not a test file: ${unknown.join(', ')}`)
  return plans
    .filter(({ suite }) => only === undefined || suite.name === only)
    .map(({ suite, files }) => ({
      suite,
      files: wanted.size === 0 ? files : files.filter((path) => wanted.has(path)),
    }))
    .filter(({ files }) => files.length > 0)
}

async function runSuite({ suite, files }: Plan, tally: Tally): Promise<void> {
  const startedMs = performance.now()
  const before = { passed: tally.passed, failed: tally.failures.length }
  const waiting = files.values()
  const runNext = async (): Promise<void> => {
    for (const path of waiting) await runFile(path, tally)
  }
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, runNext))
  const passed = tally.passed - before.passed
  const failed = tally.failures.length - before.failed
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  console.log(`${suite.name}: ${passed} passed, ${failed} failed in ${seconds} s`)
}

/** One run per file: only a signal ends a file whose tests are done but whose timers still run. */
async function runFile(path: string, tally: Tally): Promise<void> {
  const failedBefore = tally.failures.length
  const signal = AbortSignal.timeout(FILE_LIMIT_MS)
  const names: string[] = []
  let printed = ''
  const files = [resolve(ROOT, path)]
  const stream = run({ files, cwd: ROOT, concurrency: 1, timeout: TEST_LIMIT_MS, signal })
  for await (const { type, data } of stream as AsyncIterable<RunEvent>) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      printed = (printed + (data.message ?? '')).slice(-OUTPUT_CHARACTERS_MAX)
    } else if (type === 'test:start' || type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting
      names.push(data.name)
      if (type !== 'test:start') judge(type, data, names.join(' › '), tally)
    }
  }
  if (tally.failures.length > failedBefore && printed !== '') {
    console.log(`\nWhat ${path} printed:\n${printed.trimEnd()}\n`)
  }
}

/** Skipped and to-do tests count as failed: what is not run is not known to work. */
function judge(type: string, event: EventData, title: string, tally: Tally): void {
  const { details, name } = event
  const file = relative(ROOT, event.file ?? '')
  const isFile = event.nesting === 0 && resolve(ROOT, name) === event.file
  const test = isFile ? 'the file itself' : title
  const left = (event.skip ?? false) !== false || (event.todo ?? false) !== false
  if (left) tally.failures.push({ file, test, reason: 'was skipped or left to do' })
  else if (type === 'test:fail') {
    const { error } = details
    // The parent of a failed test fails with it; that is the same failure, not another one.
    if (error?.failureType === 'subtestsFailed') return
    tally.failures.push({ file, test, reason: inspect(error?.cause ?? error) })
  } else if (isFile) tally.failures.push({ file, test, reason: 'holds no test' })
  else if (details.type !== 'suite') tally.passed += 1
}

async function leaveOutServers(plans: readonly Plan[]): Promise<Plan[]> {
  const needing = plans.filter(({ suite }) => suite.needsServers)
  if (needing.length === 0 || (await bringUpStack())) return [...plans]
  console.log('This machine cannot run the servers, so these test files are left out:')
  for (const file of needing.flatMap(({ files }) => files)) console.log(`  ${file}`)
  return plans.filter(({ suite }) => !suite.needsServers)
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string' } },
    allowPositionals: true,
  })
  const plans = choose(assignFiles(), values.only, positionals)
  if (plans.length === 0) throw new Error('there is no test to run')
  const tally: Tally = { passed: 0, failures: [] }
  for (const plan of await leaveOutServers(plans)) await runSuite(plan, tally)
  for (const { file, test, reason } of tally.failures) {
    console.log(`\nFAILED ${file}\n${test}\n${reason}`)
  }
  console.log(`\n${tally.passed} passed, ${tally.failures.length} failed`)
  // A run in which nothing ran has shown nothing.
  return tally.failures.length === 0 && tally.passed > 0 ? 0 : 1
}

if (import.meta.main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    console.log('\n0 passed, 1 failed')
    process.exitCode = 1
  }
}
