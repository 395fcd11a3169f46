import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { CommandResult } from './command.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { findFreePort } from './console-process.ts'
import { createDatabase } from '../servers/database.ts'
import { waitUntil } from '../figures/measure.ts'
import { requireStack } from './service.ts'

/** `headrace dev` as a process, in a folder of its own that has the demo configuration. */
export type Dev = AsyncDisposable & {
  readonly child: ChildProcess
  /** The configuration that it reads. */
  readonly file: string
  readonly ports: Ports
  readonly databaseUrl: string
  /** What it has printed. */
  output(): string
  /** Runs a command as `npm run headrace -- …` does. */
  run(...args: string[]): Promise<CommandResult>
  /** The same with this environment, in a folder without a development stack. */
  runElsewhere(...args: string[]): Promise<CommandResult>
}

const PORTS = {
  api: 'HEADRACE_API_PORT',
  apiHealth: 'HEADRACE_API_HEALTH_PORT',
  workerHealth: 'HEADRACE_WORKER_HEALTH_PORT',
  console: 'HEADRACE_CONSOLE_PORT',
  consoleHealth: 'HEADRACE_CONSOLE_HEALTH_PORT',
} as const

type Ports = Readonly<Record<keyof typeof PORTS, number>>

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const DEMO = new URL('../../../headrace.yaml', import.meta.url)
/** The web app may have to be built first. */
const START_MS = 110_000

/** `onStart` is called before it listens. */
export async function startDev(
  args: readonly string[] = [],
  onStart: (child: ChildProcess) => void = () => undefined,
): Promise<Dev> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'headrace-dev-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, '.stack'))
  const stack = { ...requireStack(), postgres: { url: database.url } }
  await writeFile(join(folder, '.stack/stack.json'), JSON.stringify(stack))
  const file = join(folder, 'headrace.yaml')
  await copyFile(DEMO, file)
  const ports = await choosePorts()
  const basic = { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE }
  const child = spawn(process.execPath, [MAIN, 'dev', ...args], {
    cwd: folder,
    env: { ...basic, ...portVariables(ports), HEADRACE_API_FLEET: basename(folder) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  starting.defer(() => end(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  onStart(child)
  const isUp = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`headrace dev ended: ${child.signalCode ?? child.exitCode}\n${output}`)
    return /Stop (it )?with Ctrl\+C/.test(output)
  }
  await waitUntil('headrace dev to start', isUp, START_MS, { seen: () => output })
  const running = starting.move()
  return {
    child,
    file,
    ports,
    databaseUrl: database.url,
    output: () => output,
    run: (...command) => run(command, { cwd: folder, env: basic }),
    runElsewhere: (...command) =>
      run(command, { cwd: tmpdir(), env: { ...basic, HEADRACE_CONFIG: file } }, folder),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function run(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  folder = '.',
): Promise<CommandResult> {
  const environment = `--env-file-if-exists=${folder}/.stack/dev.env`
  const child = spawn(process.execPath, [environment, MAIN, ...command], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await ended) as [number | null]
  return { code, stdout, stderr }
}

async function choosePorts(): Promise<Ports> {
  const names = Object.keys(PORTS) as (keyof Ports)[]
  const chosen: [string, number][] = []
  for (const name of names) chosen.push([name, await findFreePort()])
  return Object.fromEntries(chosen) as Ports
}

function portVariables(ports: Ports): Record<string, string> {
  const names = Object.keys(PORTS) as (keyof Ports)[]
  const own = names.map((name) => [PORTS[name], `${ports[name]}`])
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    HEADRACE_CONSOLE_PUBLIC_URL: `http://localhost:${ports.console}`,
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
