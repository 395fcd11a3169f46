import { openBench, type Bench, type ProgramService } from './bench.ts'
import { installProgram } from './install.ts'
import { CHECKS, type Check, type Program } from './program.ts'
import type { Seen } from './recording-proxy.ts'
import { openSession } from './session.ts'

/** `yes`, or `no: ` and the reason; a check that the program has not is missing. */
export type Results = Partial<Record<Check, string>>

export type ProgramRun = {
  readonly results: Results
  readonly seen: Readonly<Partial<Record<Check, readonly Seen[]>>>
  /** Where it ran and where it is installed: such paths are not recorded. */
  readonly places: readonly string[]
}

const REASON_LENGTH_MAX = 160

/** Installs a program and runs its checks, one after the other. */
export async function runProgram(
  service: ProgramService,
  key: string,
  program: Program,
): Promise<ProgramRun> {
  await installProgram(key, program.install)
  using bench = openBench(service, key)
  using stack = new DisposableStack()
  const results: Results = {}
  const seen: Partial<Record<Check, readonly Seen[]>> = {}
  const places = [bench.home, bench.folder]
  service.proxy.take()
  const checks = await listChecks(program, bench, stack)
  for (const check of CHECKS) {
    const run = checks[check]
    if (run === undefined) continue
    results[check] = await judge(async () => {
      await run(bench)
      if (check === 'abort') await bench.engineStops()
    })
    seen[check] = service.proxy.take()
  }
  return { results, seen, places }
}

type Checks = Partial<Record<Check, (bench: Bench) => Promise<void>>>

async function listChecks(program: Program, bench: Bench, stack: DisposableStack): Promise<Checks> {
  if ('checks' in program) return program.checks
  const session = stack.use(await openSession(bench, program.session(bench)))
  return Object.fromEntries(session.checks.map((check) => [check, () => session.run(check)]))
}

async function judge(run: () => Promise<void>): Promise<string> {
  try {
    await run()
    return 'yes'
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return `no: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, REASON_LENGTH_MAX)}`
  }
}
