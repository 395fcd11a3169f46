import { readBacklog } from '../../../src/store/usage/usage-stream.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import {
  limitsOf,
  modelOn,
  startEnvironment,
  type EngineSettings,
  type Environment,
  type EnvironmentOptions,
} from '../environment.ts'
import { waitUntil } from '../figures/measure.ts'
import { grantFunds, type Caller } from '../seed/tenants.ts'

const PLAN = 'prepaid'
/** No request of a proof exceeds this, by any estimate. */
const CONTEXT = 100_000_000
const OUTPUT = 1_000_000
/** More than any run can spend, in micro-units. */
const GRANT = 900_000_000_000_000
const TIMEOUT_MS = 120_000

/** In units of the currency per million tokens. */
const PRICE = { input: 3, cached_input: 1.5, output: 7 }

type CostlyCounts = {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
}

/** The cost by the rule, deliberately not computed by the code under test. */
export function costOf({ prompt, cached, completion }: CostlyCounts): number {
  // Units per million tokens are micro-units per token.
  const { input, cached_input: cachedInput, output } = PRICE
  return Math.floor((prompt - cached) * input + cached * cachedInput + completion * output)
}

/** A prepaid plan, and a priced model `modelOn(name)` for each engine. */
export function meteredOptions(engines: readonly EngineSettings[]): EnvironmentOptions {
  const model = { context_length: CONTEXT, max_output_tokens: OUTPUT, price: PRICE }
  return {
    engines,
    models: engines.map(({ name }) => ({ id: modelOn(name), engines: [name], ...model })),
    plans: { [PLAN]: { models: 'all', billing: 'prepaid', limits: limitsOf() } },
  }
}

/** A caller with a balance that no run exhausts. */
export async function openFundedCaller(environment: Environment): Promise<Caller> {
  const caller = await environment.openCaller(PLAN)
  await grantFunds(environment.postgres.database, caller.organizationId, GRANT)
  return caller
}

/** An api and a worker on engines, with a caller whose usage they record. */
export type Metered = Environment & {
  readonly target: { readonly apiRoot: string; readonly key: string }
  /** The last checkpoints of the caller's open requests: prompt,cached,completion,reasoning. */
  readCheckpoints(): Promise<readonly string[]>
  /** How often the api or the worker ended unexpectedly. */
  crashes(): number
}

export async function startMetered(
  engines: readonly EngineSettings[],
  more: EnvironmentOptions = {},
): Promise<Metered> {
  const options = { ...meteredOptions(engines), valkey: 'own', ...more } as const
  await using starting = new AsyncDisposableStack()
  const environment = starting.use(await startEnvironment(options))
  const { organizationId, key } = await openFundedCaller(environment)
  const api = await environment.startApi()
  const worker = await environment.startWorker()
  const { progress } = organizationKeys(organizationId)
  const running = starting.move()
  return {
    ...environment,
    target: { apiRoot: api.apiRoot, key },
    readCheckpoints: async () => (await environment.valkey.call('HVALS', [progress])) as string[],
    crashes: () => api.crashes + worker.crashes,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Waits until no request is open and every settled one is in PostgreSQL. */
export async function waitUntilPosted(valkey: Valkey): Promise<void> {
  const isPosted = async () => {
    const { records, open } = await readBacklog(valkey)
    return records === 0 && open === 0
  }
  const seen = () => readBacklog(valkey)
  await waitUntil('all usage to be settled and posted', isPosted, TIMEOUT_MS, { seen })
}
