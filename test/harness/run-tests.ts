import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'

export type Tally = { passed: number; readonly failures: Failure[] }
type Failure = { readonly file: string; readonly test: string; readonly reason: string }

type Options = {
  /** Paths in reports are relative to it. */
  readonly cwd: string
  readonly timeoutMs: number
  /** Only a signal ends a file whose tests are done but whose timers still run. */
  readonly runTimeoutMs: number
  readonly filesAtOnce?: number
  readonly argv?: readonly string[]
}

/** The parts of node:test's events that are read here. Output has a message, results details. */
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

/** Only the end of a file's output is kept, and shown if the file failed. */
const OUTPUT_CHARACTERS_MAX = 8_000

const FIXED_SEED = new URL('fixed-seed.ts', import.meta.url).href

/** Runs test files, each in a process of its own, and adds their results to the tally. */
export async function runTests(
  files: readonly string[],
  options: Options,
  tally: Tally,
): Promise<void> {
  const { cwd, timeoutMs, runTimeoutMs, filesAtOnce = 1, argv = [] } = options
  const failedBefore = tally.failures.length
  const names: string[] = []
  const printed = new Map<string, string>()
  const paths = files.map((file) => resolve(cwd, file))
  const stream = run({
    files: paths,
    cwd,
    argv: [...argv],
    execArgv: paths.some(testsProperties) ? ['--import', FIXED_SEED] : [],
    concurrency: filesAtOnce,
    timeout: timeoutMs,
    signal: AbortSignal.timeout(runTimeoutMs),
  })
  for await (const { type, data } of stream as AsyncIterable<RunEvent>) {
    const file = relative(cwd, data.file ?? '')
    if (type === 'test:stdout' || type === 'test:stderr') {
      const text = (printed.get(file) ?? '') + (data.message ?? '')
      printed.set(file, text.slice(-OUTPUT_CHARACTERS_MAX))
    } else if (type === 'test:start' || type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting
      names.push(data.name)
      const isFile = data.nesting === 0 && resolve(cwd, data.name) === data.file
      const test = isFile ? 'the file itself' : names.join(' › ')
      if (type !== 'test:start') judge(type, data, { file, test, isFile }, tally)
    }
  }
  for (const file of new Set(tally.failures.slice(failedBefore).map((failure) => failure.file)))
    if (printed.has(file)) console.log(`\nOutput of ${file}:\n${printed.get(file)?.trimEnd()}\n`)
}

function testsProperties(path: string): boolean {
  return readFileSync(path, 'utf8').includes("from 'fast-check'")
}

/** A skipped or to-do test counts as failed: a test that does not run shows nothing. */
function judge(
  type: string,
  event: EventData,
  { file, test, isFile }: { file: string; test: string; isFile: boolean },
  tally: Tally,
): void {
  const { details } = event
  const skipped = (event.skip ?? false) !== false || (event.todo ?? false) !== false
  if (skipped) tally.failures.push({ file, test, reason: 'skipped or to do' })
  else if (type === 'test:fail') {
    const { error } = details
    // The parent of a failed test fails with it; that is the same failure, not another one.
    if (error?.failureType === 'subtestsFailed') return
    tally.failures.push({ file, test, reason: inspect(error?.cause ?? error) })
  } else if (isFile) tally.failures.push({ file, test, reason: 'contains no test' })
  else if (details.type !== 'suite') tally.passed += 1
}

/** Prints the failures and, as the last line, the counts. Returns the exit code. */
export function report({ passed, failures }: Tally): number {
  for (const { file, test, reason } of failures) console.log(`\nFAILED ${file}\n${test}\n${reason}`)
  console.log(`\n${passed} passed, ${failures.length} failed`)
  // A run without any test has shown nothing.
  return failures.length === 0 && passed > 0 ? 0 : 1
}
