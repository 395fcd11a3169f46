import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startProcess, type HeadraceProcess } from '../../harness/processes/process.ts'
import { requireStack, stackEnvironment } from '../../harness/processes/service.ts'
import { WATCH_OPTION } from './watch-connections.ts'

/** /etc/passwd has no such user. Only root can start processes as another user. */
const FOREIGN_UID = 65_532

export type CommandResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The package as a stranger has it: in a folder of its own, without the repository. */
export type Installation = AsyncDisposable & {
  /** The user that runs it, if not the one that runs the proof. */
  readonly uid: number | undefined
  /** The installed package. */
  readonly root: string
  /** Writes the configuration: the package's example with what `change` makes of it. */
  configure(databaseUrl: string, change: (example: string) => string): Promise<void>
  readonly run: (...args: readonly string[]) => Promise<CommandResult>
  /** Runs a command with --json; throws unless it ends with 0. */
  readonly answer: (...args: readonly string[]) => Promise<Readonly<Record<string, unknown>>>
  start(command: 'api' | 'worker' | 'console', onLog: (line: string) => void): Started
}

type Started = Promise<HeadraceProcess>

/**
 * Installs the tarball offline and with an empty cache, and takes the right to write away. Node.js
 * is copied, because another user may not reach that of the repository.
 */
export async function install(tarball: string): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-package-'))
  const installed = join(folder, 'installed')
  const bin = join(folder, 'bin')
  const cwd = join(folder, 'elsewhere')
  for (const path of [installed, bin, cwd]) await mkdir(path)
  await chmod(folder, 0o755)
  const node = join(bin, 'node')
  await copyFile(process.execPath, node)
  const cache = join(folder, 'cache')
  const options = ['install', '--offline', '--ignore-scripts', '--cache', cache, '--silent']
  execFileSync('npm', [...options, tarball], { cwd: installed, stdio: 'inherit' })
  execFileSync('npm', ['ls', '--all', '--silent'], { cwd: installed, stdio: 'ignore' })
  execFileSync('chmod', ['-R', 'a-w', installed])

  const uid = process.getuid?.() === 0 ? FOREIGN_UID : undefined
  const root = join(installed, 'node_modules/headrace')
  const file = join(cwd, 'headrace.yaml')
  const runtime = { node, cwd, ...(uid !== undefined && { uid }) }
  let databaseUrl = ''
  const variables = () => ({
    ...stackEnvironment(requireStack(), databaseUrl),
    HEADRACE_WORKER_HEALTH_PORT: '0',
  })
  const run: Installation['run'] = async (...args) => {
    const child = spawn(join(installed, 'node_modules/.bin/headrace'), args, {
      ...runtime,
      env: { ...variables(), PATH: [bin, dirname('/usr/bin/env')].join(delimiter) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = (await once(child, 'close')) as [number | null]
    const [stdout, stderr] = await output
    return { code, stdout, stderr }
  }
  return {
    uid,
    root,
    run,
    async configure(url, change) {
      databaseUrl = url
      await writeFile(file, change(await readFile(join(root, 'headrace.yaml'), 'utf8')))
      execFileSync('chmod', ['-R', 'a-w', cwd])
    },
    answer: async (...args) => {
      const { code, stdout, stderr } = await run(...args, '--json')
      if (code !== 0) throw new Error(`headrace ${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as Record<string, unknown>
    },
    start: (command, onLog) =>
      startProcess(command, {
        databaseUrl,
        valkeyUrls: [requireStack().valkey.url],
        file,
        main: join(root, 'dist/main.js'),
        runtime,
        environment: { ...variables(), HEADRACE_API_LOG_LEVEL: 'info', NODE_OPTIONS: WATCH_OPTION },
        onLog,
      }),
    async [Symbol.asyncDispose]() {
      execFileSync('chmod', ['-R', 'u+w', folder])
      await rm(folder, { recursive: true })
    },
  }
}
