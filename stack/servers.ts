import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { engineCommand, type LiveEngine } from './engines/engine-command.ts'
import {
  createCluster,
  NEVER_WAIT_FOR_DISK,
  postgresArguments,
  removeStalePostmasterFile,
} from './postgres.ts'
import {
  llamaServerCommand,
  postgresHome,
  postgresPrograms,
  valkeyServerCommand,
  type Program,
} from './programs.ts'
import { projectFolder, stackFolder, type ServerName } from './state.ts'

const PROBE_MS = 2000
/** As many as the demo configuration names. */
const LIVE_SLOTS = 16
/** Half a minute on two free cores, minutes on a busy machine. */
const LIVE_START_TIMEOUT_MS = 300_000

export type Server = {
  name: ServerName
  title: string
  defaultPort: number
  url: (port: number) => string
  /** Prepares the server's files and returns the command line. */
  prepare: (port: number) => { program: Program; folder: string }
  answers: (url: string) => Promise<boolean>
  /** Stops cleanly without waiting for open connections. */
  stopSignal: NodeJS.Signals
  /** If it takes longer than a minute. */
  startTimeoutMs?: number
}

export const servers: Server[] = [
  {
    name: 'postgres',
    title: 'PostgreSQL',
    defaultPort: 15_432,
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    prepare: preparePostgres,
    answers: postgresAnswers,
    stopSignal: 'SIGINT',
  },
  {
    name: 'valkey',
    title: 'Valkey',
    defaultPort: 16_379,
    url: (port) => `redis://127.0.0.1:${port}`,
    prepare: prepareValkey,
    answers: valkeyAnswers,
    stopSignal: 'SIGTERM',
  },
  {
    name: 'engine',
    title: 'llama-server',
    defaultPort: 18_080,
    url: (port) => `http://127.0.0.1:${port}`,
    prepare: prepareEngine,
    answers: engineAnswers,
    stopSignal: 'SIGTERM',
  },
]

/** Further engines with the demo model, started only when asked for. */
export const liveServers: Record<LiveEngine, Server> = {
  vllm: liveServer('vllm', 'vLLM', 18_100),
  sglang: liveServer('sglang', 'SGLang', 18_200),
}

function liveServer(name: LiveEngine, title: string, defaultPort: number): Server {
  return {
    name,
    title,
    defaultPort,
    url: (port) => `http://127.0.0.1:${port}`,
    prepare: (port) => ({
      program: engineCommand(name, { port, slots: LIVE_SLOTS, apiKey: engineKey() }),
      folder: stackFolder,
    }),
    answers: engineAnswers,
    stopSignal: 'SIGTERM',
    startTimeoutMs: LIVE_START_TIMEOUT_MS,
  }
}

/** The API key of the engines; generated on first use. */
export const engineKeyPath = join(stackFolder, 'engine.key')

export function engineKey(): string {
  if (!existsSync(engineKeyPath)) {
    const key = randomBytes(24).toString('base64url')
    writeFileSync(engineKeyPath, `${key}\n`, { mode: 0o600 })
  }
  return readFileSync(engineKeyPath, 'utf8').trim()
}

function preparePostgres(port: number): { program: Program; folder: string } {
  const folder = join(postgresHome(), 'data')
  createCluster(folder)
  removeStalePostmasterFile(folder)
  const own = [...postgresArguments(folder, port), ...NEVER_WAIT_FOR_DISK]
  const program = withArguments(postgresPrograms().postgres, own)
  return { program, folder: postgresHome() }
}

function prepareValkey(port: number): { program: Program; folder: string } {
  const folder = join(stackFolder, 'valkey')
  mkdirSync(folder, { recursive: true })
  const network = ['--port', `${port}`, '--bind', '127.0.0.1']
  // Written at once, so that the data survives a restart, but no answer waits for the disk.
  const durability = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no', '--dir', folder]
  return { program: withArguments(valkeyServerCommand(), [...network, ...durability]), folder }
}

function prepareEngine(port: number): { program: Program; folder: string } {
  engineKey()
  const model = join(projectFolder, 'demo-model', 'pebble-q8_0.gguf')
  // 65536 tokens shared by 16 slots give each the model's whole context of 4096.
  const slots = ['-np', '16', '-c', '65536', '--cache-ram', '0']
  // The model is so small that a second thread costs more than it saves.
  const threads = ['-t', '1']
  // The ping interval also bounds how long open streams delay the exit after SIGTERM.
  const http = ['--sse-ping-interval', '1', '--no-ui', '--metrics', '--api-key-file', engineKeyPath]
  // The demo model keeps to forced tool calls and JSON only with greedy sampling.
  const sampling = ['--temp', '0']
  // Otherwise llama-server continues the last assistant message in mid-sentence.
  const turns = ['--no-prefill-assistant']
  const own = ['-m', model, '--alias', 'pebble', '--host', '127.0.0.1', '--port', `${port}`]
  // Only warnings: otherwise every request adds a dozen lines to an unbounded log.
  const log = ['--log-verbosity', '2']
  const program = withArguments(llamaServerCommand(), [
    ...own,
    ...slots,
    ...threads,
    ...http,
    ...turns,
    ...sampling,
    ...log,
  ])
  return { program, folder: stackFolder }
}

function withArguments(program: Program, more: string[]): Program {
  return { ...program, args: [...program.args, ...more] }
}

async function postgresAnswers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS })
  // An unhandled connection error would crash this process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function valkeyAnswers(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.setTimeout(PROBE_MS, () => resolve(false))
  socket.on('error', () => resolve(false))
  socket.on('close', () => resolve(false))
  // The response is an error while Valkey loads its data.
  socket.on('data', (data) => resolve(data.toString().startsWith('+PONG')))
  socket.write('PING\r\n')
  const answer = await promise
  socket.destroy()
  return answer
}

async function engineAnswers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PROBE_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
