import { loadConfig, type Config } from '../../../src/config/load.ts'
import { serveApi, type RunningApi, type ServeApiOptions } from '../../../src/start/serve-api.ts'
import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import { readStack, type Stack } from '../../../stack/state.ts'
import { createDatabase, urlForProcess } from '../servers/database.ts'
import { chosenEngine } from '../engines/real-engine.ts'
import { openCaller, type Caller } from '../seed/tenants.ts'

/** The whole data plane on real servers, with an organization of its own for whoever asks. */
export type Service = AsyncDisposable & {
  readonly apiRoot: string
  readonly healthAddress: string
  readonly config: Config
  readonly postgres: Postgres
  /** A new organization on the given plan and an API key of its default project. */
  createCaller(plan?: string): Promise<Caller>
  /** Loads a changed configuration, as SIGHUP does. */
  reload(change: (config: Config) => Config): Promise<void>
}

export const SIGNING_KEY = Buffer.alloc(32, 7).toString('base64url')
const CONTENT_KEY = Buffer.alloc(32, 8).toString('base64url')

/** What a process of ours needs in its environment to run against the development stack. */
export function stackEnvironment(stack: Stack, databaseUrl: string): Record<string, string> {
  return {
    HEADRACE_DATABASE_URL: databaseUrl,
    HEADRACE_VALKEY_URL: stack.valkey.url,
    HEADRACE_ENGINE_KEY: stack.engine.apiKey,
    HEADRACE_SIGNING_KEY: SIGNING_KEY,
    HEADRACE_CONTENT_KEY: CONTENT_KEY,
    HEADRACE_API_PORT: '0',
    HEADRACE_API_HEALTH_PORT: '0',
    HEADRACE_API_LOG_LEVEL: 'fatal',
    // Scripted engines count who asks them.
    HEADRACE_API_PROBE_ENGINES: 'false',
    HEADRACE_API_LINGER_SECONDS: '0',
    // The slots of the stack's engine are not shared with other tests.
    HEADRACE_API_FLEET: URL.parse(databaseUrl)?.pathname.slice(1) ?? 'main',
  }
}

export function requireStack(): Stack {
  const stack = readStack()
  if (stack === undefined) throw new Error('the development stack is not up')
  return stack
}

/** The demo configuration with a plan that no test can exhaust, changed as the test needs it. */
export function testConfig(databaseUrl: string, change: (config: Config) => Config): Config {
  const stack = requireStack()
  const file = new URL('../../../headrace.yaml', import.meta.url).pathname
  const config = loadConfig({ file, environment: stackEnvironment(stack, databaseUrl) })
  const limit = 1_000_000_000
  const ample = {
    models: 'all',
    credentials: ['api_key', 'playground'],
    ignored_parameters: [],
    limits: {
      requests_per_minute: limit,
      requests_per_day: limit,
      tokens_per_minute: limit,
      tokens_per_day: limit,
    },
    weight: 1,
    priority: 'standard',
    billing: 'none',
    prices: {},
  } satisfies Config['plans'][string]
  return change({
    ...config,
    engines: config.engines.map((engine) => ({ ...engine, ...chosenOf(stack), ...SHARED })),
    plans: { ...config.plans, ample },
  })
}

/** Tests that run at the same time use the engine of the stack together. */
const SHARED = { prompt_cache: 'auto' } as const

/** The engine of the stack that a proof was asked to run on. */
function chosenOf(stack: Stack): Pick<Config['engines'][number], 'kind' | 'url'> {
  const kind = chosenEngine()
  const { url } = (kind === 'llama-server' ? stack.engine : stack[kind]) ?? {}
  if (url === undefined) throw new Error(`${kind} is not up: npm run stack -- up --engine ${kind}`)
  return { kind, url }
}

export async function startService(
  change: (config: Config) => Config = (config) => config,
  options: ServeApiOptions = {},
): Promise<Service> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const config = testConfig(urlForProcess(database.url, 'api'), change)
  const postgres = starting.use(openPostgres(database.url))
  const api: RunningApi = await serveApi(config, options)
  starting.defer(() => api.stop())
  const running = starting.move()
  return {
    apiRoot: api.apiRoot,
    healthAddress: api.healthAddress,
    config,
    postgres,
    createCaller: (plan = 'ample') => openCaller(postgres.database, plan),
    reload: (changeAgain) => api.reload(() => changeAgain(config)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
