import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cpuSeconds } from './api-process.ts'
import { requireStack, stackEnvironment } from './service.ts'

/** A `headrace worker` of its own process, as operators run it. */
export type WorkerProcess = AsyncDisposable & {
  readonly child: ChildProcess
  readonly healthAddress: string
  /** The value of one of its metrics that has no labels. */
  metric(name: string): Promise<number>
  /** Processor time that it has used so far, to a hundredth of a second. */
  cpuSeconds(): number
}

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname

export async function startWorkerProcess(options: {
  readonly databaseUrl: string
  readonly valkeyUrl: string
  readonly file: string
  readonly environment?: Readonly<Record<string, string>>
}): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [MAIN, 'worker'], {
    env: {
      ...stackEnvironment(requireStack(), options.databaseUrl),
      HEADRACE_VALKEY_URL: options.valkeyUrl,
      HEADRACE_CONFIG: options.file,
      HEADRACE_API_LOG_LEVEL: 'info',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  const healthAddress = await readAddress(child)
  return {
    child,
    healthAddress,
    async metric(name) {
      const text = await (await fetch(`${healthAddress}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    },
    cpuSeconds: () => cpuSeconds(child.pid),
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', killNow)
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Reads its log to the end, since a full pipe would stop it. Faults are shown. */
function readAddress(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('exit', (code) => reject(new Error(`the worker ended before it listened: ${code}`)))
  if (child.stdout === null) throw new Error('no standard output')
  createInterface({ input: child.stdout }).on('line', (line) => {
    const {
      level = 0,
      msg,
      address,
    } = JSON.parse(line) as Readonly<{
      level?: number
      msg?: string
      address?: string
    }>
    if (msg?.startsWith('listening') === true) resolve(`http://${address}`)
    const errorLevel = 50
    if (level >= errorLevel) console.error(line)
  })
  return promise
}
