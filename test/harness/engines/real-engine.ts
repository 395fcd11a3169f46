import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import {
  COUNTER_NAMES,
  readCounters,
  type EngineCounters,
} from '../../../src/engines/adapters/read-counters.ts'
import { engineCommand, ENGINES, type Engine } from '../../../stack/engines/engine-command.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { waitUntil } from '../figures/measure.ts'

/** A real engine of one's own, which may be stopped in its tracks and killed. */
export type RealEngine = AsyncDisposable & {
  readonly url: string
  /** An entry of `engines` in the configuration, without its name. */
  readonly settings: {
    readonly kind: Engine
    readonly url: string
    readonly slots: number
    readonly model_name: string
  }
  /** Generations that run or wait at the moment. */
  inUse(): Promise<number>
  /** What the engine itself has counted since its start. */
  counters(): Promise<EngineCounters>
  /** It stays connected and does nothing more. */
  freeze(): void
  /** As `kill -9` does it; resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts it again where it was. */
  restart(): Promise<void>
}

/** Asks for a list of so many numbers that no generation of the demo model ends on its own. */
export const ENDLESS = {
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      schema: { type: 'array', items: { type: 'integer' }, minItems: 1_000 },
    },
  },
}

/** Below it are the ports of the development stack, above it those that the kernel gives away. */
const PORT_FIRST = 28_000
const PORTS = 4_000
/** vLLM needs half a minute on two free cores. */
const START_TIMEOUT_MS = 300_000
const POLL_MS = 20

/** The engine that `npm run prove -- NAME --engine KIND` asks for. */
export function chosenEngine(): Engine {
  const wanted = process.env['HEADRACE_PROOF_ENGINE'] ?? 'llama-server'
  const kind = ENGINES.find((each) => each === wanted)
  if (kind === undefined) throw new Error(`no engine ${wanted}; there are ${ENGINES.join(', ')}`)
  return kind
}

type LaunchOptions = {
  /** Default: the one that the proof was asked to run on. */
  readonly kind?: Engine
  /** Default: the demo model. */
  readonly model?: string
  /** They come last, so they override those that every engine of ours gets. */
  readonly flags?: readonly string[]
}

export async function startRealEngine(
  slots: number,
  { kind = chosenEngine(), ...options }: LaunchOptions = {},
): Promise<RealEngine> {
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const url = `http://127.0.0.1:${port}`
  const launchIt = () => launch(kind, url, { port, slots, ...options })
  let child = await launchIt()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    signal(child, 'SIGKILL')
    await ended
  }
  const killNow = () => signal(child, 'SIGKILL')
  // A run that is cut short must not leave its servers behind.
  process.once('exit', killNow)
  const counted = { name: kind, url, apiKey: undefined, counters: COUNTER_NAMES[kind] }
  return {
    url,
    settings: { kind, url, slots, model_name: 'pebble' },
    inUse: async () => (await readCounters(counted)).running,
    counters: () => readCounters(counted),
    freeze: () => signal(child, 'SIGSTOP'),
    kill,
    async restart() {
      await kill()
      child = await launchIt()
    },
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', killNow)
      await kill()
    },
  }
}

async function launch(
  kind: Engine,
  url: string,
  options: Parameters<typeof engineCommand>[1],
): Promise<ChildProcess> {
  const { command, args, env } = engineCommand(kind, options)
  const child = spawn(command, args, { env, stdio: 'ignore' })
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${child.exitCode}`)
    return answers(url)
  }
  await waitUntil(`${kind} to answer`, isReady, START_TIMEOUT_MS, { pollMs: POLL_MS })
  return child
}

/** To the engine and all processes that it started: vLLM generates in one of those. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  for (const each of [pid, ...descendantsOf(pid)])
    try {
      process.kill(each, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

function descendantsOf(pid: number): number[] {
  const lists = globSync(`/proc/${pid}/task/*/children`).map((path) => readFileSync(path, 'utf8'))
  const children = lists.join(' ').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
