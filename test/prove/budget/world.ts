import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { give } from '../../../src/store/ledger/double-entry.ts'
import { createLimits } from '../../../src/store/limits/limits.ts'
import { openPostgres, type Postgres } from '../../../src/store/postgres/postgres.ts'
import { changeProject, createProject, findProject } from '../../../src/store/tenants/projects.ts'
import { organizationKeys } from '../../../src/store/valkey/keys.ts'
import { type Valkey } from '../../../src/store/valkey/valkey.ts'
import { priceFrom, worstCost } from '../../../src/tenancy/price.ts'
import { createDatabase } from '../../harness/database.ts'
import { requireStack } from '../../harness/service.ts'
import { connectValkey, startValkey } from '../../harness/valkey.ts'
import { openKey, openOrganization } from '../../harness/tenants.ts'
import { limitsOf } from '../../harness/environment.ts'
import { startApiVictim, startWorkerVictim } from '../metering/processes.ts'

export const GATED = 'proof/gated'
export const REAL = 'proof/real'

const PROCESSES = 3
/** No admitted request of a proof waits for a slot. */
const SLOTS = 512
const REAL_SLOTS = 8
/** Below the least that any prompt is estimated at, so that it alone bounds the worst case. */
const CONTEXT = 256

/** A busy machine is no fault. */
const TIMEOUT_MS = 30_000

/** Not round, so that costs are rounded too. */
const PRICE = { input: 1.234567, cached_input: 0.333333, output: 9.876543 }
const FREE = { input: 0, output: 0 }

export const PRICED = priceFrom(PRICE)

/** What a request that asks for so many tokens is sure not to exceed, in micro-units. */
export function worstOf(tokensMax: number): number {
  return worstCost(CONTEXT, tokensMax, PRICED)
}

export type World = AsyncDisposable & {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly apiRoots: readonly string[]
  /** Processes that ended by themselves. */
  readonly deaths: { readonly count: number }
}

/** Several processes of the api and a worker, with stores of their own. */
export async function startWorld(gatedUrl: string): Promise<World> {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createDatabase())
  const store = starting.use(await startValkey())
  const postgres = starting.use(openPostgres(database.url, { queryTimeoutMs: TIMEOUT_MS }))
  const valkey = starting.use(await connectValkey([store.url], { timeoutMs: TIMEOUT_MS }))
  const folder = await mkdtemp(join(tmpdir(), 'headrace-budget-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'headrace.yaml')
  await writeFile(file, JSON.stringify(settingsOf(gatedUrl)))
  const deaths = { count: 0 }
  const onDeath = () => void (deaths.count += 1)
  const settings = { databaseUrl: database.url, valkeyUrls: [store.url], file, onDeath }
  const apis = await Promise.all(Array.from({ length: PROCESSES }, () => startApiVictim(settings)))
  for (const api of apis) starting.use(api)
  starting.use(await startWorkerVictim(settings))
  const running = starting.move()
  const apiRoots = apis.flatMap(({ apiRoot }) => (apiRoot === undefined ? [] : [apiRoot]))
  return { postgres, valkey, apiRoots, deaths, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function settingsOf(gatedUrl: string): object {
  const own = { owned_by: 'proof', context_length: CONTEXT }
  const { url } = requireStack().engine
  const real = { url, slots: REAL_SLOTS, api_key_env: 'HEADRACE_ENGINE_KEY', model_name: 'pebble' }
  const prices = { [GATED]: PRICE, [REAL]: PRICE }
  const plan = { models: 'all', limits: limitsOf({}), prices }
  return {
    engines: [
      { name: 'gated', kind: 'llama-server', url: gatedUrl, slots: SLOTS },
      { name: 'real', kind: 'llama-server', ...real },
    ],
    // The plans' prices come before those of the models.
    models: [
      { id: GATED, ...own, engines: ['gated'], price: FREE },
      { id: REAL, ...own, engines: ['real'], price: FREE },
    ],
    plans: { prepaid: { ...plan, billing: 'prepaid' }, postpaid: { ...plan, billing: 'postpaid' } },
    default_plan: 'prepaid',
    worker: { health_port: 0, poll_seconds: 0.05 },
  }
}

/** Who may spend so much, and where it is written what was spent. */
export type Budget = {
  readonly organizationId: string
  readonly key: string
  /** The fields of the organization's funds in Valkey that must stay within the bound. */
  readonly fields: { readonly spent: string; readonly reserved: string }
  /** In micro-units. */
  readonly bound: number
  /** Whether the bound is the organization's balance, and not a project's spending limit. */
  readonly prepaid: boolean
}

export function fundsKey({ organizationId }: Budget): string {
  return organizationKeys(organizationId).funds
}

export async function openPrepaid(world: World, bound: number): Promise<Budget> {
  const { id, projectId } = await openOrganization(world.postgres.database, 'prepaid')
  const { text } = await openKey(world.postgres.database, projectId)
  const fields = { spent: 'spent', reserved: 'reserved' }
  const budget = { organizationId: id, key: text, fields, bound: 0, prepaid: true }
  return grant(world, budget, bound)
}

/** A grant as the command makes it: in the books, and known to Valkey before it ends. */
export async function grant(world: World, budget: Budget, amount: number): Promise<Budget> {
  const { organizationId } = budget
  const { raised } = await give(world.postgres.database, {
    organizationId,
    amount,
    kind: 'grant',
    reference: crypto.randomUUID(),
    madeBy: 'proof',
    reason: 'a proof',
  })
  await tell(world.valkey, raised)
  return { ...budget, bound: budget.bound + amount }
}

/** A project that may spend so much this month, and one beside it that has no limit. */
export async function openLimited(
  world: World,
  bound: number,
): Promise<{ readonly limited: Budget; readonly besideKey: string }> {
  const { database } = world.postgres
  const { id } = await openOrganization(database, 'postpaid')
  const project = await findProject(database, id, 'default')
  const beside = await createProject(database, id, 'beside')
  const { text: key } = await openKey(database, project.id)
  const { text: besideKey } = await openKey(database, beside.id)
  const { raised } = await changeProject(database, project, { spendingLimit: bound })
  await tell(world.valkey, raised)
  const fields = { spent: `spent:${project.id}`, reserved: `reserved:${project.id}` }
  return { limited: { organizationId: id, key, fields, bound, prepaid: false }, besideKey }
}

async function tell(
  valkey: Valkey,
  raised: readonly { readonly organizationId: string; readonly version: number }[],
): Promise<void> {
  await using limits = createLimits(valkey)
  for (const { organizationId, version } of raised)
    await limits.raiseVersion(organizationId, version)
}
