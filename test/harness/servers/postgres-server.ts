import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { migrate } from '../../../src/store/postgres/migrate.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import {
  createCluster,
  NEVER_WAIT_FOR_DISK,
  postgresArguments,
  removeStalePostmasterFile,
} from '../../../stack/postgres.ts'
import { postgresPrograms } from '../../../stack/programs.ts'
import { createRoles } from './database.ts'
import { waitUntil } from '../figures/measure.ts'

const PORT_FIRST = 16_000
const PORTS = 3_000
const START_TIMEOUT_MS = 30_000
const POLL_MS = 20

/** A statement that the server was given, as its log has it. */
export type Statement = {
  /** What a prepared statement is called, or undefined. */
  readonly name: string | undefined
  /** Its first line only. */
  readonly text: string
  parameters: string | undefined
}

export type PostgresServer = AsyncDisposable & {
  /** A migrated database, unless it was asked for an empty one. */
  readonly url: string
  /** What clients asked for so far, in order; only if the server was started to log it. */
  readonly statements: readonly Statement[]
  /** How many statements came so far, counted once the log has caught up. */
  countStatements(): Promise<number>
  /** Processor time of all of its processes so far, to a hundredth of a second. */
  cpuSeconds(): number
  /** Ends it as an operator would, without waiting for its clients. */
  stop(): Promise<void>
  /** Stops all of its processes in their tracks: connections stay open, nothing is answered. */
  freeze(): void
  thaw(): void
  kill(): Promise<void>
  /** Starts it again on the same data and port, and waits until it answers. */
  start(): Promise<void>
}

/** A server of one's own, so that it may be stopped, frozen and killed. */
export async function startPostgres(
  options: {
    readonly logStatements?: boolean
    /** Writes to the disk as in production. */
    readonly durable?: boolean
    /** False leaves the database empty. */
    readonly migrated?: boolean
    /** More settings of the server, as `name=value`. */
    readonly settings?: readonly string[]
  } = {},
): Promise<PostgresServer> {
  const parent = await mkdtemp(join(tmpdir(), 'headrace-postgres-'))
  // The server may run as another user than we do.
  await chmod(parent, 0o755)
  const folder = join(parent, 'data')
  createCluster(folder)
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const statements: Statement[] = []
  const logging = options.logStatements === true ? LOG_STATEMENTS : []
  const more = options.settings?.flatMap((setting) => ['-c', setting]) ?? []
  const settings = [...(options.durable === true ? [] : NEVER_WAIT_FOR_DISK), ...logging, ...more]
  const launch = () => launchServer(folder, port, settings, statements)
  const killNow = () => signalAll(child, 'SIGKILL')
  let child = launch()
  process.once('exit', killNow)
  await answering(child, url)
  if (options.migrated !== false) await migrateWithRoles(url)
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const others = signal === 'SIGKILL' ? killNow() : []
    if (signal !== 'SIGKILL') child.kill(signal)
    await ended
    // One that is not gone keeps the memory that they share, and the next server does not start.
    const areGone = () => others.every(isGone)
    await waitUntil('killed connections to be gone', areGone, START_TIMEOUT_MS, { pollMs: POLL_MS })
  }
  return {
    url,
    statements,
    countStatements: () => countStatements(url, statements),
    cpuSeconds: () => cpuSecondsOf(child),
    stop: () => end('SIGINT'),
    freeze: () => void signalAll(child, 'SIGSTOP'),
    thaw: () => void signalAll(child, 'SIGCONT'),
    kill: () => end('SIGKILL'),
    async start() {
      removeStalePostmasterFile(folder)
      child = launch()
      await answering(child, url)
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', killNow)
      // Asked politely it takes its shared memory with it; a frozen one hears nothing.
      signalAll(child, 'SIGCONT')
      await end('SIGINT')
      await rm(parent, { recursive: true, force: true })
    },
  }
}

async function migrateWithRoles(url: string): Promise<void> {
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await createRoles(admin)
  await admin.end()
  await migrate(url)
}

/** Times and process ids are left out, so that a line begins with what matters. */
const LOG_STATEMENTS = ['log_statement=all', 'log_line_prefix=', 'log_parameter_max_length=-1']
  .concat('log_min_messages=log')
  .flatMap((setting) => ['-c', setting])

function launchServer(
  folder: string,
  port: number,
  settings: readonly string[],
  statements: Statement[],
): ChildProcess {
  const { command, args, env } = postgresPrograms().postgres
  const own = [...postgresArguments(folder, port), ...settings]
  const child = spawn(command, [...args, ...own], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, name, text] = /^LOG: {2}(?:statement|execute ([^:]+)): ?(.*)$/.exec(line) ?? []
    if (text !== undefined) statements.push({ name, text, parameters: undefined })
    const parameters = /^DETAIL: {2}Parameters: (.*)$/.exec(line)?.[1]
    const last = statements.at(-1)
    if (parameters !== undefined && last !== undefined) last.parameters = parameters
  })
  return child
}

/** A statement of our own at the end shows that the log has all that came before it. */
async function countStatements(url: string, statements: Statement[]): Promise<number> {
  const mark = `select '${crypto.randomUUID()}'`
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(mark)
  await client.end()
  const find = () => statements.findLastIndex(({ text }) => text === mark)
  await waitUntil('the log of the last statement', () => find() !== -1, START_TIMEOUT_MS)
  const at = find()
  statements.splice(at, 1)
  return at
}

/** Each connection is a process in a session of its own, so a process group does not hold them. */
function signalAll(
  { pid, exitCode, signalCode }: ChildProcess,
  signal: NodeJS.Signals,
): readonly string[] {
  if (pid === undefined || exitCode !== null || signalCode !== null) return []
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  // The parent stops before its children, so that it starts no more of them.
  if (signal === 'SIGKILL') process.kill(pid, 'SIGSTOP')
  const before = signal === 'SIGCONT' ? [] : children()
  process.kill(pid, signal)
  const all = [...new Set([...before, ...readAgain(children)])].filter((each) => each !== '')
  for (const each of all) signalIfThere(Number(each), signal)
  return all
}

/** The parent's own time, that of children which have ended, and that of those which run. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  const times = (of: string | number) =>
    readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 15).map(Number)
  const running = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const ticks = [
    ...running.flatMap((each) => times(each)?.slice(0, 2) ?? []),
    ...(times(pid!) ?? []),
  ]
  const ticksPerSecond = 100
  return ticks.reduce((sum, count) => sum + count, 0) / ticksPerSecond
}

/** Also if nobody has taken note of its end, as in containers without an init. */
function isGone(pid: string): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')')[1] ?? '')
  } catch {
    return true
  }
}

/** A killed parent has no list of children any more. */
function readAgain(children: () => string[]): string[] {
  try {
    return children()
  } catch {
    return []
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${child.exitCode}`)
    const client = new Client({ connectionString: url, connectionTimeoutMillis: START_TIMEOUT_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }
  await waitUntil('PostgreSQL to answer', isReady, START_TIMEOUT_MS, { pollMs: POLL_MS })
}
