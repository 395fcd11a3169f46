import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { openValkey } from '../../../src/store/valkey/valkey.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import {
  createCluster,
  postgresArguments,
  removeStalePostmasterFile,
} from '../../../stack/postgres.ts'
import {
  llamaServerCommand,
  postgresPrograms,
  valkeyServerCommand,
  type Program,
} from '../../../stack/programs.ts'

/** A server whose every output goes to a file, and who has folders of its own for the rest. */
export type Server = {
  readonly child: ChildProcess
  readonly logFile: string
  /** Resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

export type Place = {
  /** All that any process of the proof can write lies below here. */
  readonly folder: string
  readonly databaseUrl: string
  readonly valkeyUrl: string
  readonly engineUrl: string
  startPostgres(): Promise<Server>
  startValkey(): Promise<Server>
  startEngine(): Promise<Server>
  /** A command of ours, once it has said this in its log. */
  startOwn(command: string, environment: Environment, said: string, cores?: Cores): Promise<Server>
}

type Environment = Readonly<Record<string, string>>

/** `0` as operators are told to set it. */
export type Cores = '0' | 'unlimited'

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const MODEL = new URL('../../../demo-model/pebble-q8_0.gguf', import.meta.url).pathname

const PORT_FIRST = 22_000
const PORTS = 4_000
const START_TIMEOUT_MS = 60_000
const POLL_MS = 20

/** Sets what a crash may write, then becomes the program. */
const SHELL = ['-c', 'ulimit -c "$0" || exit 99; exec "$@"']

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function createPlace(folder: string): Promise<Place> {
  // PostgreSQL may run as another user than we do.
  for (const name of ['', 'logs', 'tmp', 'cwd', 'valkey', 'slots']) {
    mkdirSync(join(folder, name), { recursive: true })
    chmodSync(join(folder, name), name === 'tmp' ? 0o777 : 0o755)
  }
  const data = join(folder, 'postgres')
  createCluster(data)
  const first = PORT_FIRST + Math.floor(Math.random() * PORTS)
  const [postgres, valkey, engine] = [
    await chooseFreePort(first),
    await chooseFreePort(first + 200),
    await chooseFreePort(first + 400),
  ]
  const databaseUrl = `postgres://postgres@127.0.0.1:${postgres}/postgres`
  const valkeyUrl = `redis://127.0.0.1:${valkey}`
  const engineUrl = `http://127.0.0.1:${engine}`
  let started = 0
  const start = (name: string, program: Program, cwd = join(folder, 'cwd'), cores: Cores = '0') => {
    started += 1
    return launch(folder, `${name}-${started}`, program, cwd, cores)
  }
  return {
    folder,
    databaseUrl,
    valkeyUrl,
    engineUrl,
    async startPostgres() {
      removeStalePostmasterFile(data)
      const program = postgresPrograms().postgres
      const settings = ['-c', 'fsync=off', '-c', 'log_checkpoints=on', '-c', 'wal_recycle=off']
      const own = [...postgresArguments(data, postgres), ...settings]
      const server = start('postgres', { ...program, args: [...program.args, ...own] }, data)
      await until(server, () => answersPostgres(databaseUrl))
      return server
    },
    async startValkey() {
      const program = valkeyServerCommand()
      // Compressed strings would hide from the scan.
      const own = ['--port', `${valkey}`, '--bind', '127.0.0.1', '--dir', join(folder, 'valkey')]
      const kept = ['--appendonly', 'yes', '--save', '1 1', '--rdbcompression', 'no']
      const server = start('valkey', { ...program, args: [...own, ...kept] })
      await until(server, () => answersValkey(valkeyUrl))
      return server
    },
    async startEngine() {
      const program = llamaServerCommand()
      const own = ['-m', MODEL, '--alias', 'pebble', '--host', '127.0.0.1', '--port', `${engine}`]
      const room = ['-np', '2', '-c', '8192', '-t', '1', '--slot-save-path', join(folder, 'slots')]
      const server = start('engine', { ...program, args: [...own, ...room, '--no-ui'] })
      await until(server, () => answersHttp(`${engineUrl}/health`))
      return server
    },
    async startOwn(command, environment, said, cores = '0') {
      const program = { command: process.execPath, args: [MAIN, command], env: environment }
      const server = start(command, program, join(folder, 'cwd'), cores)
      await until(server, () => Promise.resolve(readFileSync(server.logFile).includes(said)))
      return server
    },
  }
}

function launch(folder: string, name: string, program: Program, cwd: string, cores: Cores): Server {
  const logFile = join(folder, 'logs', `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn('bash', [...SHELL, cores, program.command, ...program.args], {
    cwd,
    env: { ...program.env, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  running.add(child)
  const ended = once(child, 'exit').then(() => void running.delete(child))
  return {
    child,
    logFile,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended
    },
  }
}

async function until({ child, logFile }: Server, holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS
  while (!(await holds().catch(() => false))) {
    const gone = child.exitCode !== null || child.signalCode !== null
    if (gone || performance.now() > deadlineMs) {
      const said = existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-2_000) : ''
      throw new Error(`did not start: ${logFile}\n${said}`)
    }
    await pause(POLL_MS)
  }
}

async function answersPostgres(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } finally {
    await client.end()
  }
}

async function answersValkey(url: string): Promise<boolean> {
  await using valkey = openValkey([url])
  await valkey.connected(START_TIMEOUT_MS)
  return await valkey.isReady()
}

async function answersHttp(url: string): Promise<boolean> {
  return (await fetch(url)).ok
}
