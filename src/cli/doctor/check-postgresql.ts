import type { Config } from '../../config/load.ts'
import { inspectPostgres, type PostgresInspection } from '../../store/postgres/inspect.ts'
import { DAYS_AHEAD } from '../../store/postgres/partitions.ts'
import { sealingKeyIds } from '../../platform/use-case/sealers.ts'
import { ROLES } from '../../store/postgres/grant-roles.ts'
import type { SealedCount } from '../../store/postgres/sealed-places.ts'
import { judgeClock, judgeRoundTrip } from './judge-clock.ts'
import {
  failed,
  hintOf,
  notChecked,
  ok,
  reasonOf,
  resultOf,
  runChecks,
  skipChecks,
  warning,
  type Check,
  type Finding,
  type Result,
  type Time,
} from './run-checks.ts'

const PLACE = { group: 'postgresql' } as const
const VERSION_MIN = 16
const VERSION_UNIT = 10_000
/** Of a worker; see docs/operating/postgresql.md. */
const WORKER_CONNECTIONS = 7
const ROUND_TRIP_MS_MAX = 20
const PROCESS_ROLES: readonly string[] = Object.values(ROLES)

type Server = Awaited<ReturnType<PostgresInspection['readServer']>>
type Subject = { readonly inspection: PostgresInspection; readonly config: Config }

export async function checkPostgresql(config: Config, pre: boolean, time: Time): Promise<Result[]> {
  const checks = pre ? BEFORE_MIGRATION : CHECKS
  const { host, pathname } = new URL(config.database_url)
  try {
    using inspection = await inspectPostgres(config.database_url, time.connectMs)
    const reached = resultOf(PLACE, 'reachable', ok(`${host}${pathname}`))
    return [reached, ...(await runChecks(PLACE, { inspection, config }, checks, time))]
  } catch (error) {
    const finding = failed(`${host}${pathname}: ${reasonOf(error)}`, hintOf(error))
    const skipped = skipChecks(PLACE, checks, 'PostgreSQL is not reachable')
    return [resultOf(PLACE, 'reachable', finding), ...skipped]
  }
}

function ofServer(name: string, judge: (server: Server) => Finding): Check<Subject> {
  return { name, run: async ({ inspection }) => judge(await inspection.readServer()) }
}

function judgeVersion({ version }: Server): Finding {
  const major = Math.floor(version / VERSION_UNIT)
  return major >= VERSION_MIN
    ? ok(`${major}.${version % VERSION_UNIT}`)
    : failed(`${major}`, `Upgrade to PostgreSQL ${VERSION_MIN} or newer.`)
}

function judgeWritable({ read_only: readOnly }: Server): Finding {
  return readOnly === 'off'
    ? ok('yes')
    : failed('transactions are read-only', 'Use the URL of the primary, and a role that may write.')
}

function judgeDurability(server: Server): Finding {
  const { fsync, full_page_writes: pages, synchronous_commit: commit } = server
  const off = Object.entries({ fsync, full_page_writes: pages, synchronous_commit: commit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  return off.length === 0
    ? ok(`fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${commit}`)
    : failed(
        `${off.join(', ')} off`,
        'Turn it on: a crash would lose posted usage and ledger entries.',
      )
}

function judgeArchiving(server: Server): Finding {
  const { archive_mode: mode, archiving_fails: fails, replicas } = server
  if (fails === true)
    return failed('the last attempt to archive failed', 'Check archive_command and its target.')
  if (mode === 'off' && replicas === 0)
    return warning(
      'neither an archive nor a replica',
      'Archive continuously, or run a replica: a lost disk loses everything since the last backup.',
    )
  return ok(`archive_mode ${mode}, ${replicas} replicas`)
}

const GRANT = 'Grant CREATE on its schema to the role of HEADRACE_DATABASE_URL.'

const rightsBefore: Check<Subject> = {
  name: 'rights',
  async run({ inspection }) {
    const { may_create: mayCreate } = await inspection.readRights()
    return mayCreate === true ? ok('may create tables') : failed('may not create tables', GRANT)
  },
}

const rights: Check<Subject> = {
  name: 'rights',
  async run({ inspection }) {
    const { role, roles, ...own } = await inspection.readRights()
    const missing = PROCESS_ROLES.filter((each) => !roles.includes(each))
    if (PROCESS_ROLES.includes(role)) return ok(`those of the role ${role}`)
    if (own.may_create !== true) return failed('may not create tables', GRANT)
    if (own.owns_tables === false)
      return failed(
        'does not own all tables',
        'Make the role of HEADRACE_DATABASE_URL their owner, or use the role of a process.',
      )
    if (roles.length > 0 && missing.length > 0)
      return warning(`no role ${missing.join(', ')}`, 'Create it, then run headrace migrate.')
    return ok('may create tables, owns them')
  },
}

const CHANGED = 'Restore the files of this release: an applied migration must not change.'

const migrations: Check<Subject> = {
  name: 'migrations',
  async run({ inspection }) {
    const { applied, pending, changed } = await inspection.readMigrations()
    if (changed.length > 0) return failed(`changed: ${changed.join(', ')}`, CHANGED)
    return pending.length === 0
      ? ok(`${applied.length} applied`)
      : failed(`${pending.length} pending`, 'Run headrace migrate.')
  },
}

const migrationsBefore: Check<Subject> = {
  name: 'migrations',
  async run({ inspection }) {
    const { applied, pending, changed } = await inspection.readMigrations()
    if (changed.length > 0) return failed(`changed: ${changed.join(', ')}`, CHANGED)
    return ok(`${applied.length} applied, ${pending.length} pending`)
  },
}

const currency: Check<Subject> = {
  name: 'currency',
  async run({ inspection, config }) {
    const kept = await inspection.readCurrency()
    return kept === undefined || kept === config.currency
      ? ok(config.currency)
      : failed(
          `the ledger is kept in ${kept}, configured is ${config.currency}`,
          `Set currency: ${kept}. Amounts are not converted.`,
        )
  },
}

const partitions: Check<Subject> = {
  name: 'partitions',
  async run({ inspection }) {
    // The last day is created within ten minutes after midnight.
    const daysAhead = DAYS_AHEAD - 1
    const { missing, strays } = await inspection.readPartitions(daysAhead)
    const hint = 'Start a worker: it creates them. Check its log if one runs.'
    if (missing.length > 0) return warning(`missing for ${missing.join(', ')}`, hint)
    if (strays.length > 0) return warning(`rows outside of them in ${strays.join(', ')}`, hint)
    return ok(`exist for the next ${daysAhead} days`)
  },
}

const sealedSecrets: Check<Subject> = {
  name: 'sealed secrets',
  async run({ inspection, config }) {
    const counts = await inspection.readSealed()
    if (counts === undefined)
      return notChecked('this role may not read them', 'Run doctor with the role of the console.')
    const sum = (wanted: (count: SealedCount) => boolean) =>
      counts.filter(wanted).reduce((total, { count }) => total + count, 0)
    const total = sum(() => true)
    const unknown = sum(({ purpose, key_id: id }) => !sealingKeyIds(config, purpose).includes(id))
    const current = sum(({ purpose, key_id: id }) => sealingKeyIds(config, purpose)[0] === id)
    if (unknown > 0)
      return failed(
        `${unknown} of ${total} are sealed with a signing key that is not configured`,
        'Add that key to HEADRACE_ACCEPTED_SIGNING_KEYS, then run headrace secrets rewrap.',
      )
    return current === total
      ? ok(`${total}`)
      : warning(
          `${total - current} of ${total} are sealed with an old signing key`,
          'Run headrace secrets rewrap before you remove that key.',
        )
  },
}

const connections: Check<Subject> = {
  name: 'connections',
  async run({ inspection, config }) {
    const { used, most } = await inspection.readConnections()
    const { connections: own } = config.database
    return most - used >= own + WORKER_CONNECTIONS
      ? ok(`${used} of ${most} in use`)
      : warning(
          `${used} of ${most} in use`,
          `Raise max_connections: an api process uses up to ${own}, a worker 7.`,
        )
  },
}

const roundTrip: Check<Subject> = {
  name: 'round trip',
  run: async ({ inspection }) => judgeRoundTrip(await inspection.readClock(), ROUND_TRIP_MS_MAX),
}

const clock: Check<Subject> = {
  name: 'clock',
  run: async ({ inspection }) => judgeClock(await inspection.readClock()),
}

const SERVER_CHECKS = [
  ofServer('version', judgeVersion),
  ofServer('writable', judgeWritable),
  ofServer('durability', judgeDurability),
  ofServer('archiving', judgeArchiving),
]

const BEFORE_MIGRATION = [
  ...SERVER_CHECKS,
  rightsBefore,
  migrationsBefore,
  connections,
  roundTrip,
  clock,
]

const CHECKS = [
  ...SERVER_CHECKS,
  rights,
  migrations,
  currency,
  partitions,
  sealedSecrets,
  connections,
  roundTrip,
  clock,
]
