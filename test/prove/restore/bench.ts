import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import { COMPILE_CACHE } from '../../harness/processes/compile-cache.ts'
import { startEnvironment, type Environment } from '../../harness/environment.ts'
import { startCountingEngine } from '../../harness/fake-engine/counting.ts'
import { meteredOptions, openFundedCaller } from '../../harness/load/metered.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { requireStack, stackEnvironment } from '../../harness/processes/service.ts'
import { openKey, type Caller, type Key } from '../../harness/seed/tenants.ts'
import { startValkey, type ValkeyServer } from '../../harness/servers/valkey.ts'
import { startArchivedPostgres, type ArchivedPostgres } from './backup.ts'
import { Clients, ENGINE } from './clients.ts'

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const AOF = ['--appendonly', 'yes', '--appendfsync', 'everysec']

/** An installation that can be destroyed and restored. */
export type Bench = AsyncDisposable & {
  readonly environment: Environment
  readonly postgres: ArchivedPostgres
  readonly caller: Caller
  /** Another key of the same organization. */
  openKey(): Promise<Key>
  readonly clients: Clients
  /** Lines of all logs. */
  readonly lines: string[]
  /** Starts the worker, then the api. */
  start(keepHours: number): Promise<void>
  /** The status of a request with this key. */
  ask(key: string): Promise<number>
  /** `kill -9` of the api, the worker, and the servers that are named. */
  kill(...servers: readonly ('postgres' | 'valkey')[]): Promise<void>
  killWorker(): Promise<void>
  /** Starts Valkey again, on its append-only file unless that is lost. */
  startValkey(data: 'kept' | 'lost'): Promise<void>
  /** Runs `headrace` as an operator; fails unless it goes well. */
  run(...args: string[]): Promise<string>
}

export async function startBench(): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const postgres = starting.use(await startArchivedPostgres())
  const folder = await mkdtemp(join(tmpdir(), 'headrace-aof-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  let valkey: ValkeyServer = await startValkey({ folder, args: AOF })
  starting.defer(() => valkey.kill())
  const engine = starting.use(await startCountingEngine())
  const lines: string[] = []
  const options = meteredOptions([{ name: ENGINE, url: engine.url }])
  const environment = starting.use(
    await startEnvironment({
      ...options,
      databaseUrl: postgres.server.url,
      valkey: [valkey.url],
      sections: { worker: { health_port: 0, reconcile_seconds: 1 } },
      onLog: (line) => void lines.push(line),
    }),
  )
  const caller = await openFundedCaller(environment)
  let processes: Record<'api' | 'worker', HeadraceProcess> | undefined
  const apiRoot = () => processes?.api.apiRoot ?? ''
  const clients = new Clients(() => ({ apiRoot: apiRoot(), key: caller.key }))
  const running = starting.move()
  return {
    environment,
    postgres,
    caller,
    openKey: () => openKey(environment.postgres.database, caller.projectId),
    clients,
    lines,
    async start(keepHours) {
      const settings = JSON.parse(await readFile(environment.file, 'utf8')) as object
      const usage = { keep_posted_hours: keepHours }
      await writeFile(environment.file, JSON.stringify({ ...settings, usage }))
      if (processes === undefined)
        processes = { worker: await environment.startWorker(), api: await environment.startApi() }
      else for (const each of [processes.worker, processes.api]) await each.start()
    },
    async ask(key) {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${apiRoot()}/models`, { headers })).status
    },
    async kill(...servers) {
      const ends = Object.values(processes ?? {}).map((each) => each.kill())
      clients.stop()
      if (servers.includes('postgres')) ends.push(postgres.server.kill())
      if (servers.includes('valkey')) ends.push(valkey.kill())
      await Promise.all(ends)
    },
    killWorker: async () => processes?.worker.kill(),
    async startValkey(data) {
      if (data === 'lost') await rm(join(folder, 'appendonlydir'), { recursive: true })
      const port = Number(new URL(valkey.url).port)
      valkey = await startValkey({ folder, port, args: AOF })
    },
    run: (...args) => runCommand(environment, args),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function runCommand(environment: Environment, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...stackEnvironment(requireStack(), environment.databaseUrl),
      ...COMPILE_CACHE,
      HEADRACE_VALKEY_URL: environment.valkeyUrls.join(','),
      HEADRACE_CONFIG: environment.file,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`headrace ${args.join(' ')} ended with ${code}`)
  return output
}

/** What Valkey holds of the organization's funds. */
export async function readSpent({ environment, caller }: Bench): Promise<number> {
  const { funds } = organizationKeys(caller.organizationId)
  return Number(await environment.valkey.call('HGET', [funds, 'spent']))
}
