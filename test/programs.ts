/**
 * Runs programs that people use against the service: `npm run programs [NAME…] [--record]`. Each
 * is a file of `test/programs`, gets installed in its version below `.stack/programs`, and runs
 * unmodified. `--record` writes what it sent, and how it went, to `test/clients/recorded`.
 */
import { globSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { renderTable } from '../docs/render-table.ts'
import { startProgramService, type ProgramService } from './harness/programs/bench.ts'
import { CHECKS, type Program } from './harness/programs/program.ts'
import { readPython } from './harness/programs/read-python.ts'
import { makeRecording, readRecordings, writeRecording } from './harness/programs/recording.ts'
import { runProgram, type Results } from './harness/programs/run-program.ts'
import { bringUpStack } from './harness/servers/stack.ts'

const FOLDER = resolve(import.meta.dirname, 'programs')

async function readProgram(file: string): Promise<Program> {
  if (extname(file) === '.py') return readPython(file)
  const { program } = (await import(file)) as { program: Program }
  return program
}

function listPrograms(): ReadonlyMap<string, string> {
  const files = globSync('*/*.{ts,py}', { cwd: FOLDER }).toSorted()
  return new Map(files.map((file) => [basename(file, extname(file)), join(FOLDER, file)]))
}

/** Whether each check went as it did when it was recorded; one that was not has to succeed. */
function isAsRecorded(key: string, results: Results): boolean {
  const recorded = readRecordings().get(key)?.checks ?? {}
  return CHECKS.every((check) => {
    const result = results[check] ?? 'yes'
    return result === 'yes' || recorded[check]?.startsWith('no') === true
  })
}

async function runOne(service: ProgramService, key: string, file: string, records: boolean) {
  const sinceMs = performance.now()
  const program = await readProgram(file)
  const title = `${program.name} ${program.version}`
  try {
    const run = await runProgram(service, key, program)
    const failed = !isAsRecorded(key, run.results)
    if (records) writeRecording(key, makeRecording(program, run))
    const cells = CHECKS.map((check) => run.results[check] ?? '–')
    const seconds = Math.round((performance.now() - sinceMs) / 1_000)
    console.log(`${title}: ${cells.join(', ')} (${seconds} s)`)
    return { row: [title, ...cells], failed }
  } catch (error) {
    console.log(`${title}: ${error instanceof Error ? error.message : String(error)}`)
    return { row: [title, 'did not run'], failed: true }
  }
}

async function main(): Promise<number> {
  const { values, positionals: names } = parseArgs({
    options: { record: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const programs = listPrograms()
  const unknown = names.filter((name) => !programs.has(name))
  if (unknown.length > 0) throw new Error(`no program ${unknown.join(', ')}`)
  if (!(await bringUpStack())) throw new Error('this machine cannot run the servers')
  await using service = await startProgramService()
  const rows: string[][] = []
  let failed = 0
  for (const [key, file] of programs) {
    if (names.length > 0 && !names.includes(key)) continue
    const outcome = await runOne(service, key, file, values.record)
    rows.push(outcome.row)
    failed += outcome.failed ? 1 : 0
  }
  console.log(`\n${renderTable([['Program', ...CHECKS], ...rows])}`)
  console.log(`\n${rows.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
