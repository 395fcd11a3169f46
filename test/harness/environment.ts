import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { createDatabase, urlForProcess } from './servers/database.ts'
import { startProcess, type HeadraceProcess } from './processes/process.ts'
import { requireStack } from './processes/service.ts'
import { openCaller, type Caller } from './seed/tenants.ts'
import { connectValkey, startValkey } from './servers/valkey.ts'

/** A member of `engines` in headrace.yaml; `kind` and `slots` have defaults here. */
export type EngineSettings = {
  readonly name: string
  readonly url: string
  readonly kind?: 'llama-server' | 'vllm' | 'sglang' | 'openai'
  readonly capabilities?: object
  readonly organization?: string
  readonly workers?: 'one' | 'many'
  readonly slots?: number
  readonly model_name?: string
  readonly api_key_env?: string
}

/** A member of `models`; `owned_by` has a default here. */
export type ModelSettings = {
  readonly id: string
  readonly engines: readonly string[]
  readonly context_length?: number
  readonly [setting: string]: unknown
}

export type PlanLimits = {
  readonly requests_per_minute: number
  readonly requests_per_day: number
  readonly tokens_per_minute: number
  readonly tokens_per_day: number
}

export type PlanSettings = {
  readonly models: 'all' | readonly string[]
  readonly limits: PlanLimits
  readonly credentials?: readonly ('api_key' | 'playground')[]
  readonly billing?: 'none' | 'prepaid' | 'postpaid'
  readonly prices?: Readonly<Record<string, object>>
  readonly weight?: number
}

export type EnvironmentOptions = {
  /** Without engines, the configuration is the demo one on the stack's engine. */
  readonly engines?: readonly EngineSettings[]
  /** Default: one model per engine, `test/<engine>`. */
  readonly models?: readonly ModelSettings[]
  /** Added to the plan `ample`, which no test can exhaust. */
  readonly plans?: Readonly<Record<string, PlanSettings>>
  /** Other sections of headrace.yaml. */
  readonly sections?: object
  /** Default: a database of its own on the stack's server. */
  readonly databaseUrl?: string
  /** Default: the stack's server. `own` starts one; URLs name servers that run. */
  readonly valkey?: 'stack' | 'own' | readonly string[]
  /** Variables of every process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Receives every line of every process's log. */
  readonly onLog?: (line: string) => void
}

/** A configuration, its stores, and the processes of Headrace that a test starts on them. */
export type Environment = AsyncDisposable & {
  readonly databaseUrl: string
  readonly valkeyUrls: readonly string[]
  readonly file: string
  readonly postgres: Postgres
  /** A connection of the test's own. */
  readonly valkey: Valkey
  startApi(
    environment?: Readonly<Record<string, string>>,
    args?: readonly string[],
  ): Promise<HeadraceProcess>
  startApis(count: number): Promise<HeadraceProcess[]>
  startWorker(environment?: Readonly<Record<string, string>>): Promise<HeadraceProcess>
  startConsole(environment?: Readonly<Record<string, string>>): Promise<HeadraceProcess>
  openCaller(plan?: string): Promise<Caller>
}

/** The model of the demo configuration. */
export const DEMO_MODEL = 'headrace/pebble'
/** More than any test uses. */
export const AMPLE = 1_000_000_000
const AMPLE_PLAN = 'ample'
const SLOTS = 512
/** A busy machine is no failure of the service. */
const TIMEOUT_MS = 30_000

export function limitsOf(limits: Partial<PlanLimits> = {}): PlanLimits {
  return {
    requests_per_minute: AMPLE,
    requests_per_day: AMPLE,
    tokens_per_minute: AMPLE,
    tokens_per_day: AMPLE,
    ...limits,
  }
}

/** The model that `startEnvironment` makes for an engine. */
export function modelOn(engine: string): string {
  return `test/${engine}`
}

export async function startEnvironment(options: EnvironmentOptions = {}): Promise<Environment> {
  await using starting = new AsyncDisposableStack()
  const databaseUrl = options.databaseUrl ?? starting.use(await createDatabase()).url
  const valkeyUrls = await chooseValkey(options.valkey, starting)
  const folder = await mkdtemp(join(tmpdir(), 'headrace-test-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  await writeFile(file, JSON.stringify(await settingsOf(options)))
  const postgres = starting.use(openPostgres(databaseUrl, { queryTimeoutMs: TIMEOUT_MS }))
  const valkey = starting.use(await connectValkey(valkeyUrls, { timeoutMs: TIMEOUT_MS }))
  const running = starting.move()
  const start = async (
    command: 'api' | 'worker' | 'console',
    more: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ) => {
    const environment = { ...options.environment, ...more }
    const onLog = options.onLog === undefined ? {} : { onLog: options.onLog }
    // Another server than that of the stack has no roles for processes.
    const own = options.databaseUrl ?? urlForProcess(databaseUrl, command)
    const settings = { databaseUrl: own, valkeyUrls, file, environment, args, ...onLog }
    return running.use(await startProcess(command, settings))
  }
  return {
    databaseUrl,
    valkeyUrls,
    file,
    postgres,
    valkey,
    startApi: (environment, args) => start('api', environment, args),
    startApis: (count) => Promise.all(Array.from({ length: count }, () => start('api'))),
    startWorker: (environment) => start('worker', environment),
    startConsole: (environment) => start('console', environment),
    openCaller: (plan = AMPLE_PLAN) => openCaller(postgres.database, plan),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function chooseValkey(
  wanted: EnvironmentOptions['valkey'],
  starting: AsyncDisposableStack,
): Promise<readonly string[]> {
  if (wanted === 'own') return [starting.use(await startValkey()).url]
  return wanted === undefined || wanted === 'stack' ? [requireStack().valkey.url] : wanted
}

async function settingsOf(options: EnvironmentOptions): Promise<object> {
  const ample = { models: 'all', limits: limitsOf(), credentials: ['api_key', 'playground'] }
  const plans = { [AMPLE_PLAN]: ample, ...options.plans }
  const worker = { health_port: 0 }
  const own = { worker, ...options.sections }
  if (options.engines === undefined) {
    const demo = await readDemo()
    return { ...demo, ...own, plans: { ...demo.plans, ...plans } }
  }
  const models =
    options.models ?? options.engines.map(({ name }) => ({ id: modelOn(name), engines: [name] }))
  return {
    engines: options.engines.map((engine) => ({ kind: 'llama-server', slots: SLOTS, ...engine })),
    models: models.map((model) => ({ owned_by: 'test', ...model })),
    default_plan: AMPLE_PLAN,
    ...own,
    plans,
  }
}

type Demo = { readonly engines: { url: string }[]; readonly plans: object }

async function readDemo(): Promise<Demo> {
  const text = await readFile(new URL('../../headrace.yaml', import.meta.url), 'utf8')
  const demo = parse(text) as Demo
  const { url } = requireStack().engine
  // Tests that run at the same time use the engine of the stack together.
  const shared = { url, prompt_cache: 'auto' }
  return { ...demo, engines: demo.engines.map((engine) => ({ ...engine, ...shared })) }
}
