/** Fuzzes a parser: `npm run fuzz -- TARGET|all [--minutes N | --ci] [--seed S] [--save]`. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { recordCoverage } from './fuzz/coverage.ts'
import { errorOf, fuzz, selectFound } from './fuzz/fuzz-loop.ts'
import { crashPath, readCorpus, saveCrash, saveInputs } from './fuzz/saved-corpus.ts'
import { openTarget, TARGETS, type TargetName } from './fuzz/target.ts'
import { startWatchdog } from './fuzz/watchdog.ts'

const MS_PER_MINUTE = 60_000
/** For the fixed number of executions, on a busy machine. */
const CI_MINUTES_MAX = 3
const INPUT_CHARACTERS_SHOWN = 600

const OPTIONS = {
  minutes: { type: 'string', default: '1' },
  ci: { type: 'boolean', default: false },
  seed: { type: 'string' },
  save: { type: 'boolean', default: false },
  input: { type: 'string' },
} as const

function show(input: Buffer): string {
  return JSON.stringify(input.toString('latin1')).slice(0, INPUT_CHARACTERS_SHOWN)
}

/** Prints what failed and how to repeat it. */
function report(name: TargetName, input: Buffer, error: unknown): void {
  const path = relative(process.cwd(), saveCrash(name, input))
  console.log(error instanceof Error ? error.stack : error)
  console.log(`${name} failed with ${input.length} bytes: ${show(input)}`)
  console.log(`repeat with: npm run fuzz -- ${name} --input ${path}`)
}

async function replay(name: TargetName, path: string): Promise<boolean> {
  const target = await openTarget(name)
  const input = readFileSync(path)
  const error = await errorOf(target, input)
  await target.close?.()
  console.log(error ?? `${name}: ${path} does not fail`)
  return error === undefined
}

type Bounds = { readonly minutes: number; readonly ci: boolean }

async function run(name: TargetName, { minutes, ci }: Bounds, seed: number, save: boolean) {
  console.log(`${name}: seed ${seed}; repeat with --seed ${seed}`)
  const coverage = recordCoverage()
  const target = await openTarget(name)
  const watchdog = startWatchdog(crashPath(name, Buffer.from(`hang ${seed}`)))
  const startedMs = performance.now()
  const untilMs = startedMs + (ci ? CI_MINUTES_MAX : minutes) * MS_PER_MINUTE
  const executionsMax = ci ? target.ciExecutions : Infinity
  const options = { seed, untilMs, executionsMax, corpus: readCorpus(name), coverage, watchdog }
  const { executions, found, failure } = await fuzz(target, options)
  await watchdog.stop()
  const { taken, known } = coverage.branches()
  if (failure !== undefined) report(name, failure.input, failure.error)
  if (save) {
    const selected = await selectFound(target, options.corpus, found, coverage)
    console.log(`${name}: saved ${saveInputs(name, selected)} of ${selected.length} inputs`)
  }
  await target.close?.()
  const perSecond = Math.round((executions * 1000) / (performance.now() - startedMs))
  const figures = `executions=${executions} per_second=${perSecond} branches=${taken}/${known}`
  console.log(`${name}: ${figures} found=${found.length} seed=${seed}`)
  return failure === undefined
}

/** Each target in a process of its own, at the same time. */
async function runAll(rest: readonly string[]): Promise<boolean[]> {
  const runOne = (name: string) =>
    new Promise<boolean>((finish, reject) => {
      const args = [import.meta.filename, name, ...rest]
      const child = spawn(process.execPath, args, { stdio: 'inherit' })
      child.once('error', reject)
      child.once('close', (code) => finish(code === 0))
    })
  return Promise.all(TARGETS.map(runOne))
}

async function main(args: readonly string[]): Promise<boolean[]> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  })
  const [name = 'all'] = positionals
  if (name === 'all') return runAll(args.filter((arg) => arg !== 'all'))
  const target = TARGETS.find((known) => known === name)
  if (target === undefined)
    throw new Error(`There is no target ${name}: ${TARGETS.join(', ')}, all`)
  if (values.input !== undefined) return [await replay(target, values.input)]
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const bounds = { minutes: Number(values.minutes), ci: values.ci }
  return [await run(target, bounds, seed, values.save)]
}

try {
  const results = await main(process.argv.slice(2))
  const failed = results.filter((passed) => !passed).length
  if (results.length > 1) console.log(`${results.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
