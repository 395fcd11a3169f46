import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { requireStack, stackEnvironment } from './service.ts'

/** A `headrace api` of its own process, as operators run it. */
export type ApiProcess = AsyncDisposable & {
  readonly apiRoot: string
  readonly healthAddress: string
  readonly child: ChildProcess
  /** Whether it still runs; what ends an api other than its operator is a fault. */
  isRunning(): boolean
  /** Memory that it holds at the moment. */
  residentBytes(): number
  /** Processor time that it has used so far, to a hundredth of a second. */
  cpuSeconds(): number
}

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
const PATH = '/compat/v1'
/** The kernel's unit of processor time, the same on every Linux that we run on. */
const TICKS_PER_SECOND = 100

export type ApiProcessOptions = {
  readonly databaseUrl: string
  /** A configuration file, and variables over those of the development stack. */
  readonly file: string
  readonly environment?: Readonly<Record<string, string>>
  /** Gets every line of its log; it listens from `info` on. */
  readonly onLog?: (line: string) => void
}

/** Starts it and waits until it listens. What it says of faults goes to our own standard error. */
export async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const environment = {
    ...stackEnvironment(requireStack(), options.databaseUrl),
    HEADRACE_CONFIG: options.file,
    HEADRACE_API_LOG_LEVEL: 'info',
    ...options.environment,
  }
  const child = spawn(process.execPath, [MAIN, 'api'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const addresses = await readAddresses(child, options.onLog)
  return {
    ...addresses,
    child,
    isRunning,
    residentBytes: () => residentBytes(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', killNow)
      if (!isRunning()) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Listening = { readonly msg?: string; readonly address?: string }

/** Reads its log to the end, since a full pipe would stop it; the addresses come early. */
function readAddresses(child: ChildProcess, onLog: ((line: string) => void) | undefined) {
  const { promise, resolve, reject } =
    Promise.withResolvers<Pick<ApiProcess, 'apiRoot' | 'healthAddress'>>()
  const found: string[] = []
  child.once('exit', (code) => reject(new Error(`the api ended before it listened: ${code}`)))
  if (child.stdout === null) throw new Error('no standard output')
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLog?.(line)
    if (found.length === 2) return
    const { msg, address } = JSON.parse(line) as Listening
    if (msg?.startsWith('listening') === true && address !== undefined) found.push(address)
    const [api, health] = found
    if (api !== undefined && health !== undefined)
      resolve({ apiRoot: `http://${api}${PATH}`, healthAddress: `http://${health}` })
  })
  return promise
}

function residentBytes(pid: number | undefined): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

export function cpuSeconds(pid: number | undefined): number {
  // The second field is the program's name in parentheses, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
