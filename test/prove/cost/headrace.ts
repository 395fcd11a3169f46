import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from '../../../bench/load.ts'
import {
  HARNESS_CPU,
  pinRunning,
  startPinned,
  TARGET_CPU,
  waitForPort,
} from '../../../bench/processes.ts'
import { openPostgres } from '../../../src/store/postgres/postgres.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { createDatabase } from '../../harness/database.ts'
import { requireStack, stackEnvironment } from '../../harness/service.ts'
import { startValkey } from '../../harness/valkey.ts'
import { openKey, openOrganization } from '../../harness/tenants.ts'

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
/** Where the programs are found that start and pin it. */
const PATH = '/usr/local/bin:/usr/bin:/bin'
const PORT_FIRST = 21_600
const PLAN = 'ample'
const LIMIT = 10_000_000_000
/** More than any workload opens, so that none waits for a slot. */
const SLOTS = 20_000

export type Headrace = Target & AsyncDisposable

export type HeadraceOptions = {
  readonly enginePort: number
  /** Names by which the fake engine knows what to send. */
  readonly models: readonly string[]
  /** For Node itself, such as those that make it leave a profile. */
  readonly nodeFlags?: readonly string[]
}

/** `headrace api` alone on its processor, with stores of its own on the other. */
export async function startHeadrace(options: HeadraceOptions): Promise<Headrace> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const postgres = starting.use(openPostgres(database.url))
  const valkey = starting.use(await startValkey())
  await pinRunning(HARNESS_CPU, valkey.pid)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-cost-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  await writeFile(file, JSON.stringify(settings(options)))
  const port = await chooseFreePort(PORT_FIRST)
  const api = starting.use(
    startPinned(TARGET_CPU, [process.execPath, ...(options.nodeFlags ?? []), MAIN, 'api'], {
      env: {
        ...stackEnvironment(requireStack(), database.url),
        HEADRACE_VALKEY_URL: valkey.url,
        HEADRACE_CONFIG: file,
        HEADRACE_API_PORT: `${port}`,
        HEADRACE_API_LOG_LEVEL: 'warn',
        PATH,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  await waitForPort(port, api)
  const { projectId } = await openOrganization(postgres.database, PLAN)
  const key = await openKey(postgres.database, projectId)
  const running = starting.move()
  return {
    name: 'headrace',
    port,
    path: '/compat/v1/chat/completions',
    headers: [`authorization: Bearer ${key.text}`],
    pids: [api.pid],
    asksForCounts: true,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function settings({ enginePort, models }: HeadraceOptions): object {
  const limits = {
    requests_per_minute: LIMIT,
    requests_per_day: LIMIT,
    tokens_per_minute: LIMIT,
    tokens_per_day: LIMIT,
  }
  const url = `http://127.0.0.1:${enginePort}`
  const traits = { owned_by: 'bench', context_length: 131_072, engines: ['fake'] }
  return {
    engines: [{ name: 'fake', kind: 'vllm', url, slots: SLOTS }],
    models: models.map((id) => ({ id, ...traits })),
    plans: { [PLAN]: { models: 'all', limits } },
    default_plan: PLAN,
  }
}
