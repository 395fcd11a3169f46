import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { COMPILE_CACHE } from './compile-cache.ts'
import { requireStack, stackEnvironment } from './service.ts'
import { killAtExit } from './kill-at-exit.ts'

/** A command that serves, as a process of its own, as operators run it. */
export type HeadraceProcess = AsyncDisposable & {
  readonly child: ChildProcess
  /** Where clients reach the api or the console. The port changes with each start. */
  readonly apiRoot: string
  readonly healthAddress: string
  isRunning(): boolean
  /** How often it ended without being killed or stopped by the test. */
  readonly crashes: number
  residentBytes(): number
  /** CPU time used since its start, to a hundredth of a second. */
  cpuSeconds(): number
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts it again after `kill`. */
  start(): Promise<void>
}

export type ProcessOptions = {
  readonly databaseUrl: string
  readonly valkeyUrls: readonly string[]
  /** The configuration file. */
  readonly file: string
  /** Variables that override those of the development stack. */
  readonly environment?: Readonly<Record<string, string>>
  /** Options of the command. */
  readonly args?: readonly string[]
  /** The program; default: that of this checkout. */
  readonly main?: string
  /** What runs it; default: this process's Node.js, folder and user. */
  readonly runtime?: { readonly node: string; readonly cwd: string; readonly uid?: number }
  /** Receives every line of its log. */
  readonly onLog?: (line: string) => void
}

type Started = { readonly child: ChildProcess; readonly addresses: readonly string[] }

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
type Command = 'api' | 'worker' | 'console'
const PATHS = { api: '/compat/v1', worker: '', console: '/management/v1' } as const
/** The unit of CPU time in /proc, the same on every Linux we run on. */
const TICKS_PER_SECOND = 100
const ERROR_LEVEL = 50
/** All but the worker listen for clients too, not only for health checks. */
const LISTENERS = { api: 2, worker: 1, console: 2 } as const

/** Starts it and waits until it listens. Its standard error goes to ours. */
export async function startProcess(
  command: Command,
  options: ProcessOptions,
): Promise<HeadraceProcess> {
  let current = await launch(command, options)
  let expectedExit = false
  let crashes = 0
  const watch = ({ child }: Started) => {
    child.once('exit', () => (crashes += expectedExit ? 0 : 1))
  }
  const end = async (signal: NodeJS.Signals) => {
    expectedExit = true
    if (!isRunning(current.child)) return
    // Its log is whole only when its output is closed, which may be after its exit.
    const closed = once(current.child, 'close')
    current.child.kill(signal)
    await closed
  }
  watch(current)
  const healthAddress = () => `http://${current.addresses.at(-1)}`
  return {
    get child() {
      return current.child
    },
    get apiRoot() {
      return `http://${current.addresses[0]}${PATHS[command]}`
    },
    get healthAddress() {
      return healthAddress()
    },
    get crashes() {
      return crashes
    },
    isRunning: () => isRunning(current.child),
    residentBytes: () => residentBytes(current.child.pid),
    cpuSeconds: () => cpuSeconds(current.child.pid),
    async metric(name) {
      const text = await (await fetch(`${healthAddress()}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    },
    kill: () => end('SIGKILL'),
    async start() {
      current = await launch(command, options)
      expectedExit = false
      watch(current)
    },
    async [Symbol.asyncDispose]() {
      await end('SIGTERM')
    },
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

async function launch(command: Command, options: ProcessOptions): Promise<Started> {
  const { node = process.execPath, ...owner } = options.runtime ?? {}
  const child = spawn(node, [options.main ?? MAIN, command, ...(options.args ?? [])], {
    ...owner,
    env: {
      ...stackEnvironment(requireStack(), options.databaseUrl),
      HEADRACE_VALKEY_URL: options.valkeyUrls.join(','),
      HEADRACE_CONFIG: options.file,
      HEADRACE_API_LOG_LEVEL: 'info',
      ...COMPILE_CACHE,
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killAtExit(child)
  const addresses: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Started>()
  child.once('exit', (code) => reject(new Error(`headrace ${command} exited early: ${code}`)))
  // The log is read to its end: a full pipe would block the process.
  createInterface({ input: child.stdout }).on('line', (line) => {
    options.onLog?.(line)
    const { level = 0, msg, address } = JSON.parse(line) as LogLine
    if (level >= ERROR_LEVEL && options.onLog === undefined) console.error(line)
    if (msg?.startsWith('listening') !== true || address === undefined) return
    addresses.push(address)
    if (addresses.length === LISTENERS[command]) resolve({ child, addresses })
  })
  return promise
}

type LogLine = { readonly level?: number; readonly msg?: string; readonly address?: string }

export function residentBytes(pid: number | undefined): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

export function cpuSeconds(pid: number | undefined): number {
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
