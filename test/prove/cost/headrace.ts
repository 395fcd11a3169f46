import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Target } from '../../../bench/load.ts'
import {
  HARNESS_CPU,
  pinRunning,
  startPinned,
  targetCpus,
  waitForPort,
  withChildren,
} from '../../../bench/processes.ts'
import { chooseFreePort } from '../../../stack/ports.ts'
import { startEnvironment } from '../../harness/environment.ts'
import { requireStack, stackEnvironment } from '../../harness/processes/service.ts'
import { startValkey } from '../../harness/servers/valkey.ts'
import { MODELS } from './workloads.ts'

/** This checkout. */
const ROOT = new URL('../../../', import.meta.url).pathname
/** Where the programs are that start and pin it. */
const PATH = '/usr/local/bin:/usr/bin:/bin'
const PORT_FIRST = 21_600
/** More than any workload opens, so that none waits for a slot. */
const SLOTS = 20_000
/** So long that no prompt has to be counted by the engine, which has no tokenizer. */
const CONTEXT_TOKENS = 1_048_576
const PLAN = 'bench'
/** The highest that a plan can have. */
const LIMITS = {
  requests_per_minute: 10_000_000_000,
  requests_per_day: 10_000_000_000,
  tokens_per_minute: 10_000_000_000,
  tokens_per_day: 10_000_000_000,
}

type Options = {
  readonly nodeFlags?: readonly string[]
  /** The checkout that is started. */
  readonly root?: string
  readonly name?: string
  readonly processes?: number
}

async function versionOf(root: string): Promise<string> {
  const file = await readFile(join(root, 'package.json'), 'utf8')
  return (JSON.parse(file) as { readonly version: string }).version
}

/** `headrace api` alone on its processor, with stores of its own on the other. */
export async function startHeadrace(
  enginePort: number,
  { nodeFlags = [], root = ROOT, name = 'headrace', processes = 1 }: Options = {},
): Promise<Target & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const valkey = starting.use(await startValkey())
  await pinRunning(HARNESS_CPU, valkey.pid)
  const traits = { owned_by: 'bench', context_length: CONTEXT_TOKENS, engines: ['fake'] }
  const settings = {
    engines: [
      { name: 'fake', kind: 'vllm', url: `http://127.0.0.1:${enginePort}`, slots: SLOTS } as const,
    ],
    models: MODELS.map((id) => ({ id, ...traits })),
    plans: { [PLAN]: { models: 'all', limits: LIMITS } as const },
    valkey: [valkey.url],
  }
  const environment = starting.use(await startEnvironment(settings))
  const port = await chooseFreePort(PORT_FIRST)
  const program = [process.execPath, ...nodeFlags, join(root, 'src/main.ts')]
  const several = processes === 1 ? [] : ['--processes', `${processes}`]
  const api = starting.use(
    startPinned(targetCpus(processes), [...program, 'api', ...several], {
      env: {
        ...stackEnvironment(requireStack(), environment.databaseUrl),
        HEADRACE_VALKEY_URL: valkey.url,
        HEADRACE_CONFIG: environment.file,
        HEADRACE_API_PORT: `${port}`,
        HEADRACE_API_LOG_LEVEL: 'warn',
        PATH,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  await waitForPort(port, api)
  const { key } = await environment.openCaller(PLAN)
  const running = starting.move()
  return {
    name,
    version: await versionOf(root),
    port,
    path: '/compat/v1/chat/completions',
    headers: [`authorization: Bearer ${key}`],
    pids: withChildren(api.pid),
    asksForCounts: true,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
