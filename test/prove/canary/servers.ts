import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { timeUntil } from '../../harness/figures/measure.ts'
import { chosenEngine } from '../../harness/engines/real-engine.ts'
import { engineCommand } from '../../../stack/engines/engine-command.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import {
  createCluster,
  postgresArguments,
  removeStalePostmasterFile,
} from '../../../stack/postgres.ts'
import { postgresPrograms, valkeyServerCommand, type Program } from '../../../stack/programs.ts'

// The servers of the harness write to pipes and temporary folders. Here everything that a process
// can write must be in a file below one folder, so that the scan sees it.

export type Server = {
  readonly logFile: string
  /** Resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

export type ServerName = 'postgres' | 'valkey' | 'engine'

export type Servers = {
  /** All that any process of the proof can write is below it. */
  readonly folder: string
  readonly databaseUrl: string
  readonly valkeyUrl: string
  readonly engineUrl: string
  start(name: ServerName): Promise<void>
  end(name: ServerName, signal: NodeJS.Signals): Promise<void>
  /** Starts `headrace api` or `headrace worker`. */
  startOwn(command: string, environment: NodeJS.ProcessEnv, cores?: Cores): Promise<Server>
}

/** The limit on core files: `0` as the operating guide recommends. */
export type Cores = '0' | 'unlimited'

type Launch = {
  readonly program: Program
  readonly args: readonly string[]
  readonly cwd: string
  /** A text that it logs once it is ready. */
  readonly ready: string
  readonly cores?: Cores
}

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname

const PORT_FIRST = 22_000
const PORTS = 4_000
const START_TIMEOUT_MS = 300_000

/** Sets the limit on core files, then becomes the program. */
const SHELL = ['-c', 'ulimit -c "$0" || exit 99; exec "$@"']

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function createServers(folder: string): Promise<Servers> {
  // PostgreSQL may run as another user than we do.
  for (const name of ['', 'logs', 'tmp', 'cwd', 'valkey', 'slots']) {
    mkdirSync(join(folder, name), { recursive: true })
    chmodSync(join(folder, name), name === 'tmp' ? 0o777 : 0o755)
  }
  const first = PORT_FIRST + Math.floor(Math.random() * PORTS)
  const ports = {
    postgres: await chooseFreePort(first),
    valkey: await chooseFreePort(first + 200),
    engine: await chooseFreePort(first + 400),
  }
  const launches = launchesOf(folder, ports)
  createCluster(launches.postgres.cwd)
  const servers = new Map<ServerName, Server>()
  let started = 0
  const start = (name: string, launch: Launch) => {
    started += 1
    return startServer(folder, `${name}-${started}`, launch)
  }
  return {
    folder,
    databaseUrl: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`,
    valkeyUrl: `redis://127.0.0.1:${ports.valkey}`,
    engineUrl: `http://127.0.0.1:${ports.engine}`,
    async start(name) {
      if (name === 'postgres') removeStalePostmasterFile(launches.postgres.cwd)
      servers.set(name, await start(name, launches[name]))
    },
    end: async (name, signal) => servers.get(name)?.end(signal),
    startOwn(command, env, cores = '0') {
      const program = { command: process.execPath, args: [MAIN], env }
      const [cwd, ready] = [join(folder, 'cwd'), '"listening for health']
      return start(command, { program, args: [command], cwd, ready, cores })
    },
  }
}

function launchesOf(
  folder: string,
  ports: Readonly<Record<ServerName, number>>,
): Record<ServerName, Launch> {
  const cwd = join(folder, 'cwd')
  const data = join(folder, 'postgres')
  const onDisk = ['--dir', join(folder, 'valkey'), '--appendonly', 'yes', '--save', '1 1']
  const kind = chosenEngine()
  const slots = ['--slot-save-path', join(folder, 'slots'), '--log-verbosity', '3']
  const flags = kind === 'llama-server' ? slots : []
  return {
    postgres: {
      program: postgresPrograms().postgres,
      args: postgresArguments(data, ports.postgres).concat(
        ['fsync=off', 'log_checkpoints=on', 'wal_recycle=off'].flatMap((each) => ['-c', each]),
      ),
      cwd: data,
      ready: 'database system is ready to accept connections',
    },
    valkey: {
      program: valkeyServerCommand(),
      // The scan does not see through Valkey's compression of strings.
      args: [
        '--port',
        `${ports.valkey}`,
        '--bind',
        '127.0.0.1',
        ...onDisk,
        '--rdbcompression',
        'no',
      ],
      cwd,
      ready: 'Ready to accept connections',
    },
    engine: {
      program: engineCommand(kind, { port: ports.engine, slots: 2, flags }),
      args: [],
      cwd,
      ready: kind === 'llama-server' ? 'listening on http' : 'startup complete',
    },
  }
}

async function startServer(folder: string, name: string, launch: Launch): Promise<Server> {
  const { program, args, cwd, ready, cores = '0' } = launch
  const logFile = join(folder, 'logs', `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn('bash', [...SHELL, cores, program.command, ...program.args, ...args], {
    cwd,
    env: { ...program.env, TMPDIR: join(folder, 'tmp') },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  running.add(child)
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  const ended = once(child, 'exit').then(() => void running.delete(child))
  const isReady = () => readFileSync(logFile).includes(ready)
  const startedMs = await timeUntil(() => isGone() || isReady(), START_TIMEOUT_MS)
  if (startedMs === null || isGone())
    throw new Error(`did not start: ${logFile}\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)
  return {
    logFile,
    async end(signal) {
      if (!isGone()) child.kill(signal)
      await ended
    },
  }
}
