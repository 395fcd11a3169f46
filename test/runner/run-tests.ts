import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { FileToRun, FromTestProcess, NoMoreFiles } from './test-process.ts'

export type Tally = { passed: number; readonly failures: Failure[] }
type Failure = { readonly file: string; readonly test: string; readonly reason: string }

type Options = {
  /** Paths of files are relative to it. */
  readonly cwd: string
  readonly testLimitMs: number
  readonly fileLimitMs: number
  /** For the end of a process after the tests: a timer that is left must not hold up the run. */
  readonly endLimitMs: number
  readonly filesAtOnce: number
  /** Whether a process runs one file after another, or each file has a process of its own. */
  readonly sharesProcesses?: boolean
  readonly argv?: readonly string[]
  /** Shows the output of a failed file. */
  readonly print?: (text: string) => void
  readonly onFileEnd?: (file: string, seconds: number) => void
}

type TestProcess = {
  readonly child: ChildProcess
  readonly closed: Promise<unknown>
  /** The end of what the current file has printed. */
  output: string
  /** Whether a test of this process has failed, which is what its exit code says then. */
  hasFailed: boolean
  readonly print: (text: string) => void
}

/** Only the end of a file's output is kept, and shown if the file failed. */
const OUTPUT_CHARACTERS_MAX = 8_000

const FIXED_SEED = new URL('fixed-seed.ts', import.meta.url).href
const NO_MORE_FILES: NoMoreFiles = 'no more files'
const FILE_ITSELF = 'the file itself'
const PROGRAM = new URL('test-process.ts', import.meta.url)

/** Runs test files in processes, in the given order, and adds their results to the tally. */
export async function runTests(
  files: readonly string[],
  options: Options,
  tally: Tally,
): Promise<void> {
  const waiting = [...files]
  const ending: Promise<void>[] = []
  const runInTurn = async () => {
    let shared: { readonly started: TestProcess; readonly file: string } | undefined
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const startedMs = performance.now()
      if (shared && setsTimeZone(resolve(options.cwd, file))) {
        ending.push(endProcess(shared.started, shared.file, options, tally))
        shared = undefined
      }
      const started = shared?.started ?? startProcess(file, options)
      const reusable = await runFile(started, file, options, tally)
      shared = options.sharesProcesses === true && reusable ? { started, file } : undefined
      if (shared === undefined) {
        const end = endProcess(started, file, options, tally)
        if (options.sharesProcesses === true) ending.push(end)
        else await end
      }
      options.onFileEnd?.(file, (performance.now() - startedMs) / 1000)
    }
    if (shared) await endProcess(shared.started, shared.file, options, tally)
  }
  await Promise.all(Array.from({ length: Math.min(options.filesAtOnce, files.length) }, runInTurn))
  await Promise.all(ending)
}

function startProcess(file: string, options: Options): TestProcess {
  const { cwd, argv = [], testLimitMs, sharesProcesses = false, print = console.log } = options
  const needsSeed = sharesProcesses || testsProperties(resolve(cwd, file))
  const child = fork(fileURLToPath(PROGRAM), argv, {
    cwd,
    execArgv: [
      ...(needsSeed ? ['--import', FIXED_SEED] : []),
      `--test-timeout=${testLimitMs}`,
      `--test-reporter=${PROGRAM.href}`,
    ],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const started = { child, closed: once(child, 'close'), output: '', hasFailed: false, print }
  for (const stream of [child.stdout, child.stderr] as Readable[]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      started.output = (started.output + text).slice(-OUTPUT_CHARACTERS_MAX)
    })
  }
  return started
}

function testsProperties(path: string): boolean {
  return readFileSync(path, 'utf8').includes("from 'fast-check'")
}

/** What an earlier file has formatted stays in the zone of its time, so such a file begins anew. */
function setsTimeZone(path: string): boolean {
  return readFileSync(path, 'utf8').includes('setTimeZone(')
}

/** Resolves to whether another file may run in the process. */
async function runFile(
  started: TestProcess,
  file: string,
  { cwd, fileLimitMs }: Options,
  tally: Tally,
): Promise<boolean> {
  const { child } = started
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
  /** The last test that began, as far as a busy process could say so. */
  let running = FILE_ITSELF
  const failures: Failure[] = []
  const fail = (test: string, reason: string) => void failures.push({ file, test, reason })
  const take = (message: FromTestProcess) => {
    if (message.type === 'end') end(message.reusable)
    else if (message.type === 'failed') fail(message.test, message.reason)
    else if (message.type === 'passed') tally.passed += 1
    else running = message.test
  }
  const noteExit = (code: number | null, signal: string | null) => {
    fail(running, `the process ended before the tests did (${signal ?? `exit code ${code}`})`)
    end(false)
  }
  const timer = setTimeout(() => {
    fail(running, `the file did not end within ${fileLimitMs / 1000} s`)
    kill(child.off('close', noteExit))
    end(false)
  }, fileLimitMs)
  started.output = ''
  child.on('message', take).on('close', noteExit)
  const message: FileToRun = { path: resolve(cwd, file), limitMs: fileLimitMs }
  // If the process is gone, the channel is closed and `close` follows.
  child.send(message, () => {})
  const reusable = await ended
  clearTimeout(timer)
  child.off('message', take).off('close', noteExit)
  await note(started, failures, tally)
  return reusable
}

/** Waits for a process to end by itself. `file` is the last one that ran in it. */
async function endProcess(
  started: TestProcess,
  file: string,
  { endLimitMs }: Options,
  tally: Tally,
): Promise<void> {
  const { child } = started
  const fail = async (reason: string) => note(started, [{ file, test: FILE_ITSELF, reason }], tally)
  // The parent's own `disconnect()` would keep it from ever seeing `close`.
  if (child.connected) child.send(NO_MORE_FILES, () => {})
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill(child)
  }, endLimitMs)
  await started.closed
  clearTimeout(timer)
  if (isLate) await fail('its tests ended, but something that they started runs on')
  else if (!started.hasFailed && child.exitCode !== 0)
    await fail(`an error came after its tests had ended (exit code ${child.exitCode})`)
}

/** What it has started may live on with its pipes, and `close` waits for the last who has them. */
function kill(child: ChildProcess): void {
  child.kill('SIGKILL')
  child.stdout?.destroy()
  child.stderr?.destroy()
}

async function note(
  started: TestProcess,
  failures: readonly Failure[],
  tally: Tally,
): Promise<void> {
  const [first] = failures
  if (first === undefined) return
  started.hasFailed = true
  tally.failures.push(...failures)
  // What was printed before the last message may still be on its way through the pipe.
  await new Promise(setImmediate)
  const output = started.output.trimEnd()
  if (output !== '') started.print(`\nOutput of ${first.file}:\n${output}\n`)
}

/** Prints the failures and, as the last line, the counts. Returns the exit code. */
export function report({ passed, failures }: Tally): number {
  for (const { file, test, reason } of failures) console.log(`\nFAILED ${file}\n${test}\n${reason}`)
  console.log(`\n${passed} passed, ${failures.length} failed`)
  // A run without any test has shown nothing.
  return failures.length === 0 && passed > 0 ? 0 : 1
}
