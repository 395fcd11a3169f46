import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOpen } from '../../../bench/processes.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { killAtExit } from '../../harness/processes/kill-at-exit.ts'

const TOOLS = join(import.meta.dirname, '../../../bench/build')
const START_TIMEOUT_MS = 30_000
/** Longer than any run. */
const DURATION_SECONDS = 100_000

/** A program that runs until it is ended. */
type Program = AsyncDisposable & { readonly pid: number; readonly child: ChildProcess }

function startProgram(name: string, args: readonly string[]): Program {
  const child = spawn(join(TOOLS, name), args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (child.pid === undefined) throw new Error(`${name} did not start`)
  killAtExit(child)
  return {
    pid: child.pid,
    child,
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGKILL')
    },
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export type Engine = AsyncDisposable & {
  readonly url: string
  readonly pid: number
  kill(): Promise<void>
  start(): Promise<void>
}

/** The fake engine of bench/, which can be killed and started again on its port. */
export async function startEngine(port: number): Promise<Engine> {
  const launch = async () => {
    const started = startProgram('fake-engine', [`${port}`])
    await waitUntil('the engine to listen', () => isOpen(port), START_TIMEOUT_MS)
    return started
  }
  let current = await launch()
  return {
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return current.pid
    },
    async kill() {
      await current[Symbol.asyncDispose]()
    },
    async start() {
      current = await launch()
    },
    [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
  }
}

/** How a request ended for its client; see bench/src/load/ended.h. */
export type Ending = 'whole' | 'error' | 'refused' | 'broken' | 'unanswered' | 'left'

export type Attempt = {
  /** The x-request-id of its response, or undefined if there was none. */
  readonly id: string | undefined
  readonly ending: Ending
  readonly status: number
  /** Tokens that arrived. */
  readonly seen: number
}

export type Generator = AsyncDisposable & {
  readonly pid: number
  /** Closes all connections, and returns how each request ended. */
  stop(): Promise<Attempt[]>
}

export type LoadSettings = {
  readonly port: number
  readonly path: string
  readonly keys: readonly string[]
  readonly model: string
  /** Tokens of each stream. */
  readonly tokens: number
  readonly streams: number
  /** Over which the first requests are spread. */
  readonly staggerMs: number
  /** The longest time that a client waits after a failure. */
  readonly retryMs: number
  /** Of the streams, left by their clients if they last as long. */
  readonly abortPercent: number
  /** Where its files are. */
  readonly folder: string
}

/** Keeps a number of streams open, each on a connection of its own. */
export async function startGenerator(settings: LoadSettings): Promise<Generator> {
  const { port, path, keys, model, tokens, streams, folder } = settings
  const [keyFile, log] = [join(folder, `${port}.keys`), join(folder, `${port}.log`)]
  await writeFile(keyFile, keys.join('\n'))
  const options = {
    port,
    path,
    keys: keyFile,
    log,
    model,
    expect: tokens,
    conns: streams,
    'stagger-ms': settings.staggerMs,
    'retry-ms': settings.retryMs,
    'abort-percent': settings.abortPercent,
    warmup: 0,
    duration: DURATION_SECONDS,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const started = startProgram('loadgen', ['--stream', '--usage', ...args])
  return {
    pid: started.pid,
    async stop() {
      const { exitCode, signalCode } = started.child
      if (exitCode !== null || signalCode !== null) throw new Error('a load generator has ended')
      await end(started.child, 'SIGTERM')
      return (await readFile(log, 'utf8')).trim().split('\n').map(readAttempt)
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

function readAttempt(line: string): Attempt {
  const [id = '-', ending = '', status, seen] = line.split(' ')
  return {
    id: id === '-' ? undefined : id,
    ending: ending as Ending,
    status: Number(status),
    seen: Number(seen),
  }
}
