import { spawn, type ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import {
  childEnvironment,
  ConfigError,
  loadConfigFromProcess,
  type Config,
} from '../config/load.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import type { Log } from '../lib/log.ts'
import { healthPortOf } from './health-port.ts'
import { openLog } from './open-log.ts'
import type { Reloads } from './signals/reload-on-signal.ts'

const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 10_000
/** A process that ran for this long did not fail to start. */
const STEADY_MS = 60_000
/** EX_CONFIG: a restart would not help. */
const INVALID_CONFIGURATION = 78

/**
 * Runs several api processes that share a port, and restarts those that end. Resolves with the exit
 * code when all have ended: after a signal, or because the configuration is invalid.
 */
export async function runProcesses(wanted: number | 'auto', reloads: Reloads): Promise<number> {
  const config = loadConfigFromProcess('api')
  const count = countProcesses(config, wanted)
  const log = openLog(config)
  log.info({ count }, 'starting api processes')
  const supervisor = new Supervisor(config, count, log)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => supervisor.stop(signal))
  reloads.start(() => supervisor.reload())
  return supervisor.run()
}

function countProcesses({ api, engines }: Config, wanted: number | 'auto'): number {
  if (api.port === 0) throw new ConfigError(['--processes needs a fixed port: set api.port'])
  const count = wanted === 'auto' ? availableParallelism() : wanted
  const exclusive = engines.find(({ kind, prompt_cache: cache }) => isOfSlots(kind, cache))
  if (count > 1 && exclusive !== undefined)
    throw new ConfigError([
      `engine ${exclusive.name} is for one api process (prompt_cache: exclusive): ` +
        'set prompt_cache to auto, or run without --processes',
    ])
  return count
}

function isOfSlots(kind: string, cache: string): boolean {
  return kind === 'llama-server' && cache === 'exclusive'
}

class Supervisor {
  readonly #config: Config
  readonly #count: number
  readonly #log: Log
  readonly #children = new Map<number, ChildProcess>()
  readonly #restarts = new Map<number, NodeJS.Timeout>()
  readonly #ended = Promise.withResolvers<number>()
  #stopping = false
  #exitCode = 0

  constructor(config: Config, count: number, log: Log) {
    this.#config = config
    this.#count = count
    this.#log = log
  }

  run(): Promise<number> {
    for (let index = 0; index < this.#count; index += 1) this.#start(index, 0)
    return this.#ended.promise
  }

  /** Each process loads the configuration itself. */
  reload(): void {
    for (const child of this.#children.values()) child.kill('SIGHUP')
  }

  /** A second signal is passed on too, and ends them immediately. */
  stop(signal: NodeJS.Signals): void {
    this.#stopping = true
    for (const timer of this.#restarts.values()) clearTimeout(timer)
    this.#restarts.clear()
    for (const child of this.#children.values()) child.kill(signal)
    if (this.#children.size === 0) this.#ended.resolve(this.#exitCode)
  }

  #start(index: number, failures: number): void {
    this.#restarts.delete(index)
    const { health_port: healthPort } = this.#config.api
    const args = [process.argv[1] ?? '', 'api', '--reuse-port']
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      env: childEnvironment({
        HEADRACE_API_HEALTH_PORT: `${healthPortOf(healthPort, index)}`,
      }),
      // By the channel it notices when this process is gone.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A group of its own: otherwise Ctrl-C would reach it twice, which means: end immediately.
      detached: true,
    })
    this.#children.set(index, child)
    const startedMs = performance.now()
    child.once('exit', (code, signal) => {
      this.#children.delete(index)
      const steady = performance.now() - startedMs >= STEADY_MS
      this.#onExit(index, code ?? signal, steady ? 0 : failures)
    })
  }

  #onExit(index: number, code: number | string | null, failures: number): void {
    if (code === INVALID_CONFIGURATION) {
      this.#exitCode = INVALID_CONFIGURATION
      if (!this.#stopping) this.stop('SIGTERM')
    } else if (this.#stopping) {
      if (code !== 0 && this.#exitCode === 0) this.#exitCode = 1
    } else {
      this.#log.error({ code: `${code}`, count: failures + 1 }, 'api process ended, restarting')
      const delayMs = exponentialBackoffMs(failures + 1, BACKOFF_MS, BACKOFF_MS_MAX)
      const restart = setTimeout(() => this.#start(index, failures + 1), delayMs)
      this.#restarts.set(index, restart)
    }
    if (this.#stopping && this.#children.size === 0) this.#ended.resolve(this.#exitCode)
  }
}
