import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError, loadConfigFromProcess, type Config } from '../../config/load.ts'
import { inspectPostgres } from '../../store/postgres/inspect.ts'
import { inspectValkey } from '../../store/valkey/inspect.ts'
import { acceptDevelopment } from './accept-development.ts'
import { checkEngines } from './check-engines.ts'
import { checkMachine } from './check-machine.ts'
import { checkPayments } from './check-payments.ts'
import { checkPostgresql } from './check-postgresql.ts'
import { checkProcesses, findProcesses } from './check-processes.ts'
import {
  checkConfiguration,
  checkConsole,
  checkMail,
  invalidConfiguration,
} from './check-settings.ts'
import { checkValkey } from './check-valkey.ts'
import { GROUPS, startTime, type GroupName, type Result, type Time } from './run-checks.ts'

export type ExamineOptions = {
  /** Before the first migration, or before that of an upgrade. */
  readonly pre: boolean
  readonly only: GroupName | undefined
  /** How long to wait for PostgreSQL and Valkey. */
  readonly waitMs: number
  /** For the checks, without that wait. */
  readonly timeoutMs: number
  readonly version: string
}

export type Report = { readonly results: readonly Result[]; readonly exitCode: number }

const WAIT_POLL_MS = 200
const WAIT_CONNECT_MS = 2_000
/** EX_CONFIG, as of the processes. */
const INVALID_CONFIGURATION = 78

/** Runs the checks of all groups at the same time, and reports them in order. */
export async function examine(options: ExamineOptions): Promise<Report> {
  let config: Config
  try {
    config = loadConfigFromProcess()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { results: invalidConfiguration(error.problems), exitCode: INVALID_CONFIGURATION }
  }
  await waitForStores(config, options.waitMs)
  const run = createGroups(config, options, startTime(options.timeoutMs))
  const groups = GROUPS.filter((group) => options.only === undefined || options.only === group)
  const found = (await Promise.all(groups.map((group) => run[group]()))).flat()
  const results = acceptDevelopment(config, found)
  const hasFailed = results.some(({ verdict }) => verdict === 'failed')
  return { results, exitCode: hasFailed ? 1 : 0 }
}

type Groups = Readonly<Record<GroupName, () => Promise<Result[]>>>

function createGroups(config: Config, { pre, version }: ExamineOptions, time: Time): Groups {
  let asked: ReturnType<typeof findProcesses> | undefined
  // Asked once, for two groups; before the migration nothing runs that would matter.
  const processes = () =>
    (asked ??= pre
      ? Promise.resolve({ reports: [], absent: [], late: [] })
      : findProcesses(config, time.connectMs / 2))
  return {
    configuration: () => checkConfiguration(config, time),
    postgresql: () => checkPostgresql(config, pre, time),
    valkey: () => checkValkey(config, time),
    engines: () =>
      checkEngines(
        config,
        processes().then(({ reports }) => reports),
        time,
      ),
    machine: () => checkMachine(config, time),
    mail: () => checkMail(config, time),
    console: () => checkConsole(config, time),
    payments: async () => (pre ? [] : checkPayments(config, time)),
    processes: async () => (pre ? [] : checkProcesses(config, version, await processes(), time)),
  }
}

/** Returns when both can be reached, or when the time is over. */
async function waitForStores(config: Config, waitMs: number): Promise<void> {
  const untilMs = performance.now() + waitMs
  while (performance.now() < untilMs && !(await areReachable(config))) await pause(WAIT_POLL_MS)
}

async function areReachable({ database_url: database, valkey_urls: urls }: Config) {
  const attempts = [
    inspectPostgres(database, WAIT_CONNECT_MS),
    ...urls.map((url) => inspectValkey(url, WAIT_CONNECT_MS)),
  ]
  const settled = await Promise.allSettled<Disposable>(attempts)
  for (const attempt of settled) if ('value' in attempt) attempt.value[Symbol.dispose]()
  return settled.every(({ status }) => status === 'fulfilled')
}
