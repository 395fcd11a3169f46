import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOT_POSSIBLE_HERE } from '../harness/proof.ts'
import { ROOT } from '../suites.ts'

/** A command that CI runs as a whole, and how its result is counted. */
export type Part = {
  readonly name: string
  readonly limitSeconds: number
  readonly command: readonly [string, ...string[]]
  /** `tests`: it prints `N passed, N failed` itself. `none`: only a failure counts. */
  readonly counts: 'one' | 'tests' | 'none'
}

export type Totals = {
  passed: number
  failed: number
  readonly skipped: string[]
  /** The parts and tests that failed, with the last lines of a part, for the end of a long log. */
  readonly failures: string[]
}

/** What has been started and has not ended: the numbers of process groups. */
const running = new Set<number>()
const KILL_AFTER_MS = 10_000
const LINES_SHOWN = 20
/** How test/runner/run-tests.ts reports a failed test: the file, and its name on the next line. */
const FAILED_TEST = /^FAILED (.+)\n(.+)$/gm
const OUTCOME = /^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$/gm

/**
 * Runs a part and prints its output when it has ended, so that parts may run side by side. Resolves
 * to the seconds it took, or undefined if it failed.
 */
export async function runPart(part: Part, totals: Totals): Promise<number | undefined> {
  const startedMs = performance.now()
  const before = cpus()
  const { code, output, timedOut } = await runCommand(part)
  const seconds = (performance.now() - startedMs) / 1000
  const late = timedOut ? `${part.name} did not end within ${part.limitSeconds} s\n` : ''
  const share = Math.round(busyShare(before) * 100)
  const end = `== ${part.name}: ${Math.round(seconds)} s, processors ${share} % busy`
  process.stdout.write(`== ${part.name}\n${output}${late}${end}\n`)
  if (count(part, code, output, totals)) return seconds
  if (code !== NOT_POSSIBLE_HERE || part.counts !== 'one')
    totals.failures.push(
      part.name,
      ...(part.counts === 'tests' ? namesOfFailed : lastLines)(output),
    )
  return undefined
}

function namesOfFailed(output: string): string[] {
  return [...output.matchAll(FAILED_TEST)].map(([, file, test]) => `  ${file}: ${test}`)
}

function lastLines(output: string): string[] {
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.slice(-LINES_SHOWN).map((line) => `  ${line}`)
}

/** Ends everything that still runs. */
export function endParts(signal: NodeJS.Signals): void {
  for (const group of running) killGroup(group, signal)
}

type Ended = { readonly code: number; readonly output: string; readonly timedOut: boolean }

async function runCommand({ command: [program, ...args], limitSeconds }: Part): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-ci-'))
  const log = join(folder, 'log')
  // A file and not a pipe: a server that is left running would keep a pipe open.
  const output = openSync(log, 'a')
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    detached: true,
  })
  const { promise, resolve } = Promise.withResolvers<number>()
  child.once('error', (error) => {
    console.error(error.message)
    resolve(1)
  })
  child.once('exit', (code) => resolve(code ?? 1))
  const group = child.pid ?? 0
  if (group !== 0) running.add(group)
  let timedOut = false
  const limit = setTimeout(() => {
    timedOut = true
    killGroup(group, 'SIGTERM')
    setTimeout(() => killGroup(group, 'SIGKILL'), KILL_AFTER_MS).unref()
  }, limitSeconds * 1000)
  const code = await promise
  clearTimeout(limit)
  running.delete(group)
  // What outlived its part at the limit is not left behind either.
  if (timedOut) killGroup(group, 'SIGKILL')
  const text = readFileSync(log, 'utf8')
  rmSync(folder, { recursive: true })
  return { code, output: text === '' || text.endsWith('\n') ? text : `${text}\n`, timedOut }
}

function killGroup(group: number, signal: NodeJS.Signals): void {
  try {
    if (group !== 0) process.kill(-group, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Adds the result to the totals. False if the part failed. */
function count({ name, counts }: Part, code: number, output: string, totals: Totals): boolean {
  const outcome = counts === 'tests' ? [...output.matchAll(OUTCOME)].at(-1) : undefined
  if (counts === 'tests' && outcome !== undefined) {
    const failed = Number(outcome[2])
    totals.passed += Number(outcome[1])
    // A run may fail without a failed test, and must not pass for that.
    totals.failed += failed === 0 && code !== 0 ? 1 : failed
    return code === 0 && failed === 0
  }
  if (code === 0 && counts !== 'tests') totals.passed += counts === 'one' ? 1 : 0
  else if (code === NOT_POSSIBLE_HERE && counts === 'one') totals.skipped.push(name)
  else totals.failed += 1
  return code === 0 && counts !== 'tests'
}

/** The share of the processors' time since then that was not idle, by whomever. */
function busyShare(before: ReturnType<typeof cpus>): number {
  const sum = (list: ReturnType<typeof cpus>, of: (times: Times) => number) =>
    list.reduce((total, { times }) => total + of(times), 0)
  const all = ({ user, nice, sys, idle, irq }: Times) => user + nice + sys + idle + irq
  const after = cpus()
  const total = sum(after, all) - sum(before, all)
  const idle = sum(after, (times) => times.idle) - sum(before, (times) => times.idle)
  return total === 0 ? 0 : 1 - idle / total
}

type Times = ReturnType<typeof cpus>[number]['times']
