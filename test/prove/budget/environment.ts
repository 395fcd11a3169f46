import { raiseVersion } from '../../../src/store/limits/raise-version.ts'
import { changeOrganization } from '../../../src/store/tenants/organizations.ts'
import { changeProject, createProject } from '../../../src/store/tenants/projects.ts'
import { OVERLAP_MS_MAX, rotateApiKey } from '../../../src/store/tenants/rotate-api-key.ts'
import type { RaisedVersion } from '../../../src/store/tenants/versions.ts'
import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import { createApiKey } from '../../../src/tenancy/api-key.ts'
import { priceFrom, worstCost } from '../../../src/tenancy/price.ts'
import { limitsOf, modelOn, startEnvironment, type Environment } from '../../harness/environment.ts'
import { chunk, ending, ROLE, type Counts } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'
import { requireStack } from '../../harness/processes/service.ts'
import { grantFunds, openKey } from '../../harness/seed/tenants.ts'

export const GATED = modelOn('gated')
export const REAL = modelOn('real')

const APIS = 3
const REAL_SLOTS = 8
/** Below the least estimate of any prompt, so that it alone bounds the worst case. */
const CONTEXT = 256

/** Not round, so that costs are rounded too. */
const PRICE = { input: 1.234567, cached_input: 0.333333, output: 9.876543 }
const FREE = { input: 0, output: 0 }

export const PRICED = priceFrom(PRICE)

/** The cost that a request for so many tokens cannot exceed, in micro-units. */
export function worstOf(tokensMax: number): number {
  return worstCost(CONTEXT, tokensMax, PRICED)
}

/** An engine that holds every generation at a gate, and then reports chosen counts. */
export type GatedEngine = AsyncDisposable & {
  readonly url: string
  /** Generations that wait at the gate. */
  waiting(): number
  /** Lets all generations through until the gate is closed. */
  open(): void
  close(): void
}

export async function startGatedEngine(use: (tokensMax: number) => Counts): Promise<GatedEngine> {
  let gate = Promise.withResolvers<void>()
  let waiting = 0
  const engine = await startFakeEngine(
    async ({ body, response }) => {
      waiting += 1
      await gate.promise
      waiting -= 1
      const counts = use(Number(body['max_tokens'] ?? body['n_predict']))
      begin(response).end(ROLE + chunk({ content: 'Some text' }) + ending(counts))
    },
    { promptTokens: 1 },
  )
  return Object.assign(engine, {
    waiting: () => waiting,
    open: () => gate.resolve(),
    close() {
      gate = Promise.withResolvers()
    },
  })
}

export type BudgetEnvironment = Environment & {
  readonly apis: readonly HeadraceProcess[]
  readonly worker: HeadraceProcess
}

/** Several api processes and a worker, with stores of their own. */
export async function startBudgetEnvironment(gatedUrl: string): Promise<BudgetEnvironment> {
  const key = { api_key_env: 'HEADRACE_ENGINE_KEY', model_name: 'pebble' }
  const prices = { [GATED]: PRICE, [REAL]: PRICE }
  const plan = { models: 'all', limits: limitsOf(), prices } as const
  await using starting = new AsyncDisposableStack()
  const environment = starting.use(
    await startEnvironment({
      engines: [
        { name: 'gated', url: gatedUrl },
        { name: 'real', url: requireStack().engine.url, slots: REAL_SLOTS, ...key },
      ],
      // The plans' prices take precedence over those of the models.
      models: ['gated', 'real'].map((name) => ({
        id: modelOn(name),
        context_length: CONTEXT,
        engines: [name],
        price: FREE,
      })),
      plans: {
        prepaid: { ...plan, billing: 'prepaid' },
        postpaid: { ...plan, billing: 'postpaid' },
      },
      sections: { worker: { health_port: 0 } },
      valkey: 'own',
    }),
  )
  const apis = await environment.startApis(APIS)
  const worker = await environment.startWorker()
  const running = starting.move()
  return { ...environment, apis, worker, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** A bound on spending, and where Valkey counts towards it. */
export type Budget = {
  readonly organizationId: string
  /** API keys that are used in turn. */
  readonly keys: readonly string[]
  /** The hash in Valkey and its fields that must stay within the bound. */
  readonly fields: { readonly hash: string; readonly spent: string; readonly reserved: string }
  /** In micro-units. */
  readonly bound: number
  /** Whether the bound is the organization's balance, and not a limit. */
  readonly prepaid: boolean
  /** The code of the 402 beyond it, if it is not `insufficient_balance`. */
  readonly code?: string
}

export async function openPrepaid(environment: Environment, bound: number): Promise<Budget> {
  const { organizationId, key } = await environment.openCaller('prepaid')
  const hash = organizationKeys(organizationId).funds
  const fields = { hash, spent: 'spent', reserved: 'reserved' }
  const keys = [key]
  return grant(environment, { organizationId, keys, fields, bound: 0, prepaid: true }, bound)
}

/** An organization on a postpaid plan that may owe so much. */
export async function openCredit(environment: Environment, bound: number): Promise<Budget> {
  const { organizationId, key } = await environment.openCaller('postpaid')
  const hash = organizationKeys(organizationId).funds
  const fields = { hash, spent: 'spent', reserved: 'reserved' }
  const none = { organizationId, keys: [key], fields, bound: 0, prepaid: false }
  return raiseCredit(environment, { ...none, code: 'credit_limit_reached' }, bound)
}

/** As the operator's command does it: stored, and known to Valkey before it returns. */
export async function raiseCredit(
  { postgres, valkey }: Environment,
  budget: Budget,
  amount: number,
): Promise<Budget> {
  const bound = budget.bound + amount
  const changes = { creditLimit: bound }
  const { raised } = await changeOrganization(postgres.database, budget.organizationId, changes)
  await raise(valkey, raised)
  return { ...budget, bound }
}

/** A grant as the command makes it: in the ledger, and known to Valkey before it returns. */
export async function grant(
  { postgres, valkey }: Environment,
  budget: Budget,
  amount: number,
): Promise<Budget> {
  await raise(valkey, await grantFunds(postgres.database, budget.organizationId, amount))
  return { ...budget, bound: budget.bound + amount }
}

/** A project with a monthly spending limit, and a key of another project that has none. */
export async function openLimited(
  environment: Environment,
  bound: number,
): Promise<{ readonly limited: Budget; readonly otherKey: string }> {
  const { postgres, valkey } = environment
  const { database } = postgres
  const { organizationId, projectId, key } = await environment.openCaller('postpaid')
  const other = await createProject(database, organizationId, 'other')
  const { text: otherKey } = await openKey(database, other.id)
  const project = { id: projectId, organization_id: organizationId }
  const { raised } = await changeProject(database, project, { spendingLimit: bound })
  await raise(valkey, raised)
  const hash = organizationKeys(organizationId).funds
  const fields = { hash, spent: `spent:${projectId}`, reserved: `reserved:${projectId}` }
  const limited = { organizationId, keys: [key], fields, bound, prepaid: false }
  return { limited, otherKey }
}

/** A key with a monthly budget and the one that replaces it, and a key that has none. */
export async function openLimitedKeys(
  environment: Environment,
  bound: number,
): Promise<{ readonly limited: Budget; readonly otherKey: string }> {
  const { postgres, valkey } = environment
  const { database } = postgres
  const { organizationId, projectId, key: otherKey } = await environment.openCaller('postpaid')
  const old = await openKey(database, projectId, { spendingLimit: bound })
  const replacement = createApiKey('headrace')
  const { raised } = await rotateApiKey(database, old, replacement, { overlapMs: OVERLAP_MS_MAX })
  await raise(valkey, raised)
  const hash = `${organizationKeys(organizationId).key}${old.id}`
  const fields = { hash, spent: 'spent', reserved: 'reserved' }
  const keys = [old.text, replacement]
  return { limited: { organizationId, keys, fields, bound, prepaid: false }, otherKey }
}

async function raise(
  valkey: Environment['valkey'],
  raised: readonly RaisedVersion[],
): Promise<void> {
  for (const each of raised) await raiseVersion(valkey, each)
}
