import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../../src/config/load.ts'
import { startObligingEngine } from '../fake-engine/obliging.ts'
import type { FakeEngine } from '../fake-engine/server.ts'
import { waitUntil } from '../figures/measure.ts'
import { startService } from '../processes/service.ts'
import { folderOf } from './install.ts'
import type { Command } from './program.ts'
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.ts'

/** The service as programs find it: one large model on an engine that does what prompts say. */
export type ProgramService = AsyncDisposable & {
  readonly engine: FakeEngine
  readonly proxy: RecordingProxy
  readonly apiRoot: string
  readonly apiKey: string
}

/** What one program is given for its checks. */
export type Bench = Disposable & {
  /** The base URL for the program. */
  readonly apiRoot: string
  readonly apiKey: string
  readonly model: string
  /** The same model, but `stop` is applied. */
  readonly stoppingModel: string
  /** Where the program is installed. */
  readonly folder: string
  /** An empty folder, in which it runs and which it takes for the home of its user. */
  readonly home: string
  /** Starts a command in `home` with an environment of its own. */
  spawn(command: Command): ChildProcess
  /** Runs a command without a terminal; throws unless it exits with 0. */
  run(command: Command): Promise<string>
  /** Runs it until the engine streams, presses Ctrl+C and waits until the engine has stopped. */
  interrupt(command: Command): Promise<void>
  /** Waits until the engine generates nothing. */
  engineStops(): Promise<void>
}

export const LARGE_MODEL = 'example/large'
export const STOPPING_MODEL = 'example/large-stop'
const CONTEXT_LENGTH = 262_144
const MAX_OUTPUT_TOKENS = 65_536
const SLOTS = 16

const RUN_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 15_000
/** Some words of a stream, so that it is interrupted midway. */
const STREAMED_BYTES = 1_000
const OUTPUT_KEPT = 4_000

/** Adds the models, in place of the demo's. */
export function withLargeModel(config: Config, { url }: FakeEngine): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const kind = { kind: 'llama-server', prompt_cache: 'auto' } as const
  const size = { context_length: CONTEXT_LENGTH, max_output_tokens: MAX_OUTPUT_TOKENS }
  const large = { ...model, ...size, id: LARGE_MODEL, engines: ['obliging'] }
  return {
    ...config,
    engines: [{ name: 'obliging', ...kind, url, slots: SLOTS, model_name: 'large' }],
    models: [large, { ...large, id: STOPPING_MODEL, stop: 'applied' }],
    plans: Object.fromEntries(
      Object.entries(config.plans).map(([name, plan]) => [name, { ...plan, models: 'all' }]),
    ),
  }
}

export async function startProgramService(): Promise<ProgramService> {
  await using starting = new AsyncDisposableStack()
  const engine = starting.use(await startObligingEngine())
  const service = starting.use(await startService((config) => withLargeModel(config, engine)))
  const { origin, pathname } = new URL(service.apiRoot)
  const proxy = starting.use(await startRecordingProxy(origin))
  const { key } = await service.createCaller()
  const running = starting.move()
  return {
    engine,
    proxy,
    apiRoot: `${proxy.url}${pathname}`,
    apiKey: key,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

export function openBench({ engine, apiRoot, apiKey }: ProgramService, key: string): Bench {
  const root = mkdtempSync(join(tmpdir(), 'headrace-program-'))
  const home = join(root, 'project')
  mkdirSync(home)
  const given = { apiRoot, apiKey, model: LARGE_MODEL, stoppingModel: STOPPING_MODEL, home }
  const start = (command: Command) =>
    spawn(command.file, command.parameters, {
      cwd: home,
      env: { ...environmentOf(given), ...command.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, because Ctrl+C reaches a program and all that it started.
      detached: true,
    })
  const engineStops = async () => {
    await waitUntil('the engine to stop', () => engine.running === 0, STOP_LIMIT_MS)
  }
  return {
    ...given,
    folder: folderOf(key),
    spawn: start,
    engineStops,
    run: async (command) => runToEnd(start(command)),
    async interrupt(command) {
      const before = engine.bytesWritten()
      const child = start(command)
      const output = collect(child)
      child.stdin.end()
      const streams = () => engine.running > 0 && engine.bytesWritten() - before > STREAMED_BYTES
      try {
        await waitUntil('the engine to stream', streams, RUN_LIMIT_MS, { seen: output })
        signal(child, 'SIGINT')
        await engineStops()
      } finally {
        signal(child, 'SIGKILL')
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** No more than a program needs: nothing of the account that runs the checks. */
function environmentOf(
  given: Pick<Bench, 'apiRoot' | 'apiKey' | 'model' | 'stoppingModel' | 'home'>,
) {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: given.home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: 'true',
    DO_NOT_TRACK: '1',
    HEADRACE_API_ROOT: given.apiRoot,
    HEADRACE_API_KEY: given.apiKey,
    HEADRACE_MODEL: given.model,
    HEADRACE_STOPPING_MODEL: given.stoppingModel,
  }
}

async function runToEnd(child: ChildProcess): Promise<string> {
  const output = collect(child)
  const limit = setTimeout(() => signal(child, 'SIGKILL'), RUN_LIMIT_MS)
  child.stdin?.end()
  try {
    const [code, by] = (await once(child, 'close')) as [number | null, string | null]
    if (code !== 0) throw new Error(`exit ${code ?? by}: ${output().slice(-OUTPUT_KEPT)}`)
    return output()
  } finally {
    clearTimeout(limit)
    signal(child, 'SIGKILL')
  }
}

/** All that a process writes, to both of its outputs. */
function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => (text += part.toString()))
  return () => text
}

/** To the process and all that it started, if any of them is left. */
export function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  } catch {
    // They have ended.
  }
}
