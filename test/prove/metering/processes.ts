import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startApiProcess, type ApiProcess } from '../../harness/api-process.ts'
import { requireStack, stackEnvironment } from '../../harness/service.ts'

/** Most of a start is compiling, and a run starts dozens of processes. */
const COMPILED = { NODE_COMPILE_CACHE: join(tmpdir(), 'headrace-compiled') }

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname

/** What every process of a run is started with. */
export type Settings = {
  readonly databaseUrl: string
  readonly valkeyUrls: readonly string[]
  readonly file: string
  /** Gets every line of every log. */
  readonly onLog?: (line: string) => void
  /** One of them ended by itself, which none ever should. */
  readonly onDeath: () => void
}

/** A process of ours that is killed and started again. */
export type Victim = AsyncDisposable & {
  /** As `kill -9` does it; resolves when the process is gone. */
  kill(): Promise<void>
  /** Resolves when it works again. */
  start(): Promise<void>
}

export type ApiVictim = Victim & {
  /** Where clients reach it; another port after each start, undefined while it is dead. */
  readonly apiRoot: string | undefined
}

export async function startApiVictim(settings: Settings): Promise<ApiVictim> {
  let api: ApiProcess | undefined
  const start = async () => {
    const { databaseUrl, file, onLog } = settings
    const environment = { HEADRACE_VALKEY_URL: settings.valkeyUrls.join(','), ...COMPILED }
    const log = onLog === undefined ? {} : { onLog }
    const started = await startApiProcess({ databaseUrl, file, environment, ...log })
    started.child.once('exit', () => {
      if (api === started) settings.onDeath()
    })
    api = started
  }
  await start()
  return {
    get apiRoot() {
      return api?.apiRoot
    },
    start,
    async kill() {
      const killed = api
      if (killed === undefined) return
      api = undefined
      if (killed.isRunning()) {
        const gone = once(killed.child, 'exit')
        killed.child.kill('SIGKILL')
        await gone
      }
      await killed[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      const stopped = api
      api = undefined
      await stopped?.[Symbol.asyncDispose]()
    },
  }
}

export async function startWorkerVictim(settings: Settings): Promise<Victim> {
  let child: ChildProcess | undefined
  const killNow = () => void child?.kill('SIGKILL')
  process.once('exit', killNow)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = once(ending, 'exit')
    ending.kill(signal)
    await gone
  }
  const start = async () => {
    const started = await launchWorker(settings)
    started.once('exit', () => {
      if (child === started) settings.onDeath()
    })
    child = started
  }
  await start()
  return {
    start,
    kill: () => end('SIGKILL'),
    async [Symbol.asyncDispose]() {
      process.off('exit', killNow)
      await end('SIGTERM')
    },
  }
}

async function launchWorker(settings: Settings): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, 'worker'], {
    env: {
      ...stackEnvironment(requireStack(), settings.databaseUrl),
      HEADRACE_VALKEY_URL: settings.valkeyUrls.join(','),
      HEADRACE_CONFIG: settings.file,
      HEADRACE_API_LOG_LEVEL: 'info',
      ...COMPILED,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = Promise.withResolvers<void>()
  child.once('exit', (code) => said.reject(new Error(`the worker ended at its start: ${code}`)))
  createInterface({ input: child.stdout }).on('line', (line) => {
    settings.onLog?.(line)
    said.resolve()
  })
  await said.promise
  return child
}
