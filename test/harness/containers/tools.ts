import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { waitUntil } from '../figures/measure.ts'
import { NotPossibleHere } from '../proof.ts'
import { killAtExit } from '../processes/kill-at-exit.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const SCRIPTS = import.meta.dirname

/** Where `make-tools.sh` installs the tools unless the proof is given another folder. */
const DEFAULT_ROOT = join(ROOT, '.stack/containers')
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024
const SERVICE_START_MS = 10_000

/** podman, buildah and Docker Compose in a folder of their own. */
export type ContainerTools = AsyncDisposable & {
  readonly root: string
  /** A folder for one proof: the tools see `inside`, everyone else `outside`. */
  readonly work: { readonly inside: string; readonly outside: string }
  /** Runs a program of the tools and resolves to what it prints. */
  tool(command: readonly string[]): Promise<string>
  /** A command of podman, in the one process that has all containers' mounts. */
  podman(...args: string[]): Promise<string>
  /** A command that is still running, such as a container in the foreground. */
  start(command: readonly string[]): ChildProcess
  /** The address of the Docker API, for the tools. */
  readonly socket: string
}

/** Installs the tools if they are missing, and starts podman's service. */
export async function openContainerTools(name: string, folder?: string): Promise<ContainerTools> {
  const root = resolve(folder ?? DEFAULT_ROOT)
  await prepare(root)
  const work = { inside: `/srv/${name}`, outside: join(root, 'srv', name) }
  rmSync(work.outside, { recursive: true, force: true })
  mkdirSync(work.outside, { recursive: true })
  const socket = `unix://${work.inside}/podman.sock`
  const enter = (command: readonly string[]) => [join(SCRIPTS, 'enter.sh'), root, ...command]
  const tool = async (command: readonly string[]) => {
    const [program = '', ...args] = enter(command)
    const { stdout } = await run(program, args, { maxBuffer: OUTPUT_BYTES_MAX })
    return stdout.trim()
  }
  const start = (command: readonly string[]) => {
    const [program = '', ...args] = enter(command)
    return spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const service = start(['podman', '--log-level=error', 'system', 'service', '--time=0', socket])
  killAtExit(service)
  const isListening = () => existsSync(join(work.outside, 'podman.sock'))
  await waitUntil('the service of podman to listen', isListening, SERVICE_START_MS)
  return {
    root,
    work,
    tool,
    start,
    socket,
    podman: (...args) => tool(['podman', '--remote', '--url', socket, ...args]),
    async [Symbol.asyncDispose]() {
      const ended = once(service, 'exit')
      service.kill('SIGTERM')
      await ended
      rmSync(work.outside, { recursive: true, force: true })
    },
  }
}

async function prepare(root: string): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new NotPossibleHere('it needs root on Linux')
  if (findProgram('mmdebstrap') === undefined && !existsSync(join(root, 'usr/bin/podman')))
    throw new NotPossibleHere('mmdebstrap is not installed')
  await run(join(SCRIPTS, 'make-tools.sh'), [root], { maxBuffer: OUTPUT_BYTES_MAX })
}

function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}
