import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chooseFreePort } from '../../stack/ports.ts'
import { llamaServerCommand } from '../../stack/programs.ts'
import { waitUntil } from './measure.ts'

/** A real engine of one's own, which may be stopped in its tracks and killed. */
export type LlamaServer = AsyncDisposable & {
  readonly url: string
  /** Slots that generate at the moment. */
  slotsInUse(): Promise<number>
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
/** The context of the demo model, for each slot. */
const CONTEXT = 4_096
const START_TIMEOUT_MS = 60_000
const POLL_MS = 20

const MODEL = new URL('../../demo-model/pebble-q8_0.gguf', import.meta.url).pathname

type LaunchOptions = {
  /** Default: the demo model. */
  readonly model?: string
  /** They come last, so they override those that every server of ours gets. */
  readonly flags?: readonly string[]
}

export async function startLlamaServer(
  slots: number,
  options: LaunchOptions = {},
): Promise<LlamaServer> {
  const port = await chooseFreePort(PORT_FIRST + Math.floor(Math.random() * PORTS))
  const url = `http://127.0.0.1:${port}`
  let child = await launch(port, slots, url, options)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const killNow = () => child.kill('SIGKILL')
  // A run that is cut short must not leave its servers behind.
  process.once('exit', killNow)
  return {
    url,
    async slotsInUse() {
      const answer = await fetch(`${url}/slots`)
      const states = (await answer.json()) as { is_processing: boolean }[]
      return states.filter((state) => state.is_processing).length
    },
    freeze: () => void child.kill('SIGSTOP'),
    kill,
    async restart() {
      await kill()
      child = await launch(port, slots, url, options)
    },
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', killNow)
      await kill()
    },
  }
}

async function launch(
  port: number,
  slots: number,
  url: string,
  { model = MODEL, flags = [] }: LaunchOptions,
): Promise<ChildProcess> {
  const { command, args, env } = llamaServerCommand()
  const own = ['-m', model, '--alias', 'pebble', '--host', '127.0.0.1', '--port', `${port}`]
  const room = ['-np', `${slots}`, '-c', `${slots * CONTEXT}`, '--cache-ram', '0', '-t', '1']
  const http = ['--sse-ping-interval', '1', '--no-ui', '--no-prefill-assistant', '--metrics']
  const quiet = ['--temp', '0', '--log-verbosity', '1']
  const child = spawn(command, [...args, ...own, ...room, ...http, ...quiet, ...flags], {
    env,
    stdio: 'ignore',
  })
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`llama-server ended: ${child.exitCode}`)
    return answers(url)
  }
  await waitUntil('llama-server to answer', isReady, START_TIMEOUT_MS, { pollMs: POLL_MS })
  return child
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
