import { InvalidArgumentError, Option, type Command } from 'commander'
import { choice, jsonOption, type JsonOption } from '../options.ts'
import { printReport } from './print-report.ts'
import { GROUPS, type GroupName } from './run-checks.ts'

const SECONDS_MAX = 3_600
/** A bound for what hangs; where everything answers, the checks take less than a second. */
const TIMEOUT_SECONDS = 10

type DoctorOptions = JsonOption & {
  readonly pre?: true
  readonly wait: number
  readonly timeout: number
  readonly only?: GroupName
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check configuration, stores, engines and machine; exits 1 if a check fails')
    .option('--pre', 'check only what matters before headrace migrate')
    .addOption(
      new Option('--wait <seconds>', 'maximum time to wait for PostgreSQL and Valkey')
        .default(0)
        .argParser(parseSeconds),
    )
    .addOption(
      new Option('--timeout <seconds>', 'time for the checks')
        .default(TIMEOUT_SECONDS)
        .argParser(parseSeconds),
    )
    .addOption(choice('--only <group>', 'check one group', GROUPS))
    .addOption(jsonOption())
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('./examine.ts')
      const { results, exitCode } = await examine({
        pre: options.pre === true,
        only: options.only,
        waitMs: options.wait * 1000,
        timeoutMs: options.timeout * 1000,
        version: program.version() ?? '',
      })
      printReport(results, options)
      process.exitCode = exitCode
    })
}

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= SECONDS_MAX) return seconds
  throw new InvalidArgumentError(`Must be a number of seconds from 0 to ${SECONDS_MAX}.`)
}
