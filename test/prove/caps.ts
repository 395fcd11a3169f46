// Never one request more than the caps of organization, key and model runs, and never one less.
// covers: src/store/limits/** src/tenancy/**
import { Agent } from 'node:http'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { limitsOf, modelOn, startEnvironment, type Environment } from '../harness/environment.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import type { HeadraceProcess } from '../harness/processes/process.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { isWhole, openChat, type Chat } from '../harness/clients/stream-client.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { readHash } from '../harness/seed/usage-records.ts'
import { startValkeyCluster } from '../harness/servers/valkey.ts'
import {
  labelsOf,
  promptOf,
  startHoldingEngines,
  type HoldingEngines,
  type Owner,
} from './caps/holding-engine.ts'

const PROCESSES = 3
const MODELS = ['one', 'two'] as const
const KEYS = ['first', 'second'] as const
/** Clients that ask at once, far more than there is room for. */
const RACERS = 200
const CLIENTS = 100
const SERVED = 3_000
const SHORT_SERVED = 500
const ROUNDS = 10
const SHORT_ROUNDS = 3
const KILLS = 2
const SOAK_FACTOR = 20
/** How long a generation takes in the race. */
const HOLD_MS_MAX = 5
/** Far above the second in which a process renews its lease: no living one is taken for dead. */
const LEASE_SECONDS = 15
/** A busy machine is no failure of the service. */
const TIMEOUT_MS = 120_000

/** Caps of a plan, and how many requests of both keys for both models run with them. */
const PLANS = {
  organization: { limits: { concurrent_requests: 7 }, full: 7 },
  key: { limits: { concurrent_requests_per_key: 3 }, full: 6 },
  model: { limits: { concurrent_requests_per_model: { 'test/one': 4, 'test/two': 2 } }, full: 6 },
} as const

type Tenant = {
  readonly plan: keyof typeof PLANS
  readonly organizationId: string
  readonly keys: Readonly<Record<(typeof KEYS)[number], string>>
}

type Setting = {
  readonly run: ProofRun
  readonly environment: Environment
  readonly apis: readonly HeadraceProcess[]
  readonly engines: HoldingEngines
  readonly agent: Agent
}

/** A chat and the process that it was sent to. */
type Sent = { readonly chat: Chat; readonly api: HeadraceProcess }

async function openTenant(
  environment: Environment,
  plan: Tenant['plan'],
  caps: Map<string, number>,
): Promise<Tenant> {
  const { organizationId, projectId, key: first } = await environment.openCaller(plan)
  const { text: second } = await openKey(environment.postgres.database, projectId)
  for (const key of KEYS)
    for (const model of MODELS) {
      const { organization, key: ofKey, model: ofModel } = labelsOf({ organizationId, key }, model)
      if (plan === 'organization') caps.set(organization, PLANS.organization.full)
      if (plan === 'key') caps.set(ofKey, PLANS.key.limits.concurrent_requests_per_key)
      const { limits } = PLANS.model
      if (plan === 'model') caps.set(ofModel, limits.concurrent_requests_per_model[`test/${model}`])
    }
  return { plan, organizationId, keys: { first, second } }
}

function send({ run, apis, agent }: Setting, { organizationId, keys }: Tenant): Sent {
  const api = run.random.pick(apis.filter((each) => each.isRunning()))
  const key = run.random.pick(KEYS)
  const owner: Owner = { organizationId, key }
  const messages = [{ role: 'user', content: promptOf(owner) }]
  const body = { model: modelOn(run.random.pick(MODELS)), messages, stream: true }
  return { api, chat: openChat({ apiRoot: api.apiRoot, key: keys[key] }, body, agent) }
}

/** What Valkey counts for an organization, or nothing if nothing runs. */
async function countsOf({ environment }: Setting, { organizationId }: Tenant) {
  const counts = await readHash(environment.valkey, organizationKeys(organizationId).running)
  return Object.entries(counts).filter(([name]) => name.startsWith(organizationId))
}

/** Everyone asks again as soon as they have an answer; generations take a moment. */
async function race(setting: Setting, tenants: readonly Tenant[], served: number) {
  const { run, engines } = setting
  engines.endAfter(() => run.random.between(0, HOLD_MS_MAX))
  const tally = { served: 0, refused: 0 }
  const work = async () => {
    while (tally.served < served && run.failures.length === 0) {
      const { chat } = send(setting, run.random.pick(tenants))
      const end = await chat.ended
      if (chat.status === 429 || isUnavailable(chat)) tally.refused += 1
      else if (chat.status === 200 && end === 'complete' && isWhole(chat)) tally.served += 1
      else run.fail(`an answer of the race was ${chat.status}, ${end}: ${chat.text.slice(-200)}`)
    }
  }
  await Promise.all(Array.from({ length: RACERS }, work))
  engines.endAfter(null)
  for (const tenant of tenants) await waitForCount(setting, tenant, 0, 'the race')
  return tally
}

/**
 * Many ask at once. Returns those that run when all others were refused. Where Valkey did not
 * answer in time nobody knows who was admitted until that is undone, so they ask once more.
 */
async function fill(setting: Setting, tenant: Tenant, free: number, what: string): Promise<Sent[]> {
  const { run, engines } = setting
  const before = engines.running(tenant.organizationId)
  const started = () => engines.running(tenant.organizationId) - before
  const held: Sent[] = []
  const untilMs = performance.now() + TIMEOUT_MS
  let isCertain = true
  while (performance.now() < untilMs) {
    const wave = Array.from({ length: CLIENTS }, () => send(setting, tenant))
    const ended = new Set<Sent>()
    for (const sent of wave) void sent.chat.ended.then(() => ended.add(sent))
    const isDecided = () => started() + ended.size >= CLIENTS + held.length
    if ((await timeUntil(isDecided, TIMEOUT_MS)) === null)
      run.fail(`${tenant.plan}: ${what}: not every request was decided`)
    held.push(...wave.filter((sent) => !ended.has(sent)))
    for (const { chat } of ended)
      if (isUnavailable(chat)) isCertain = false
      else if (chat.status !== 429) run.fail(`${tenant.plan}: ${what}: ${chat.status} ${chat.text}`)
    if (isCertain || started() === free) break
  }
  if (started() !== free)
    run.fail(`${tenant.plan}: ${what}: ${started()} requests began where ${free} had room`)
  return held
}

/** On a machine that is too busy, Valkey may not answer in time: then nothing is admitted. */
function isUnavailable({ status, text }: Chat): boolean {
  return status === 503 && text.includes('rate_limit_unavailable')
}

async function finish(setting: Setting, tenant: Tenant, held: readonly Sent[], what: string) {
  setting.engines.release(tenant.organizationId)
  await Promise.all(held.map(({ chat }) => chat.ended))
  for (const { chat } of held)
    if (!isWhole(chat)) setting.run.fail(`${tenant.plan}: ${what}: a stream was cut`)
  await waitForCount(setting, tenant, 0, what)
}

/** Returns the time it took. With the last request of an organization no count is left. */
async function waitForCount(setting: Setting, tenant: Tenant, count: number, what: string) {
  const isReached = async () => {
    const counts = new Map(await countsOf(setting, tenant))
    return count === 0 ? counts.size === 0 : Number(counts.get(tenant.organizationId)) === count
  }
  const seen = () => countsOf(setting, tenant)
  return waitUntil(`a count of ${count} after ${what}`, isReached, TIMEOUT_MS, { seen })
}

/** Some clients leave: as many others run, and not one more. */
async function leaveRound(setting: Setting, tenant: Tenant): Promise<void> {
  const { full } = PLANS[tenant.plan]
  const held = await fill(setting, tenant, full, 'before clients leave')
  // All, because a place that is free is one of a key and of a model.
  for (const { chat } of held) chat.leave()
  await waitForCount(setting, tenant, 0, 'clients left')
  const isIdle = () => setting.engines.running(tenant.organizationId) === 0
  await waitUntil('the engines to be idle after clients left', isIdle, TIMEOUT_MS)
  const others = await fill(setting, tenant, full, 'after clients left')
  await finish(setting, tenant, others, 'clients left')
}

/** A process is killed: what it ran runs again once the worker has closed it, and not one more. */
async function killRound(setting: Setting, tenant: Tenant): Promise<number> {
  const { full } = PLANS[tenant.plan]
  const { engines } = setting
  const held = await fill(setting, tenant, full, 'before a kill')
  const byApi = Map.groupBy(held, ({ api }) => api)
  const [victim, lost] = [...byApi].toSorted(([, one], [, other]) => other.length - one.length)[0]!
  await victim.kill()
  const left = full - lost.length
  const isOnlyLeft = () => engines.running(tenant.organizationId) === left
  await waitUntil(`${left} running requests after a kill`, isOnlyLeft, TIMEOUT_MS)
  const tookMs = await waitForCount(setting, tenant, left, 'a kill')
  const replaced = await fill(setting, tenant, lost.length, 'after a kill')
  const survivors = held.filter(({ api }) => api !== victim)
  await finish(setting, tenant, [...survivors, ...replaced], 'a kill')
  await victim.start()
  return tookMs
}

function settingsOf(urls: HoldingEngines['urls']) {
  const kind = 'vllm' as const
  return {
    engines: MODELS.map((name) => ({ name, url: urls[name] ?? '', kind })),
    plans: Object.fromEntries(
      Object.entries(PLANS).map(([name, { limits }]) => {
        const all: object = { ...limitsOf(), ...limits }
        return [name, { models: 'all' as const, limits: all as ReturnType<typeof limitsOf> }]
      }),
    ),
    sections: { worker: { health_port: 0, lease_seconds: LEASE_SECONDS } },
  }
}

await runProof('caps', async (run) => {
  const caps = new Map<string, number>()
  await using engines = await startHoldingEngines(MODELS, caps)
  // The counts of an organization are on the server of its partition.
  await using cluster = await startValkeyCluster()
  await using environment = await startEnvironment({
    ...settingsOf(engines.urls),
    valkey: cluster.urls,
    // Once a minute the worker would correct what other steps count wrong.
    onLog: (line) => {
      if (line.includes('running request counts corrected')) run.fail(line)
    },
  })
  const [apis] = await Promise.all([environment.startApis(PROCESSES), environment.startWorker()])
  const agent = new Agent({ keepAlive: true })
  const setting = { run, environment, apis, engines, agent }
  const plans = Object.keys(PLANS) as Tenant['plan'][]
  const tenants = await Promise.all(plans.map((plan) => openTenant(environment, plan, caps)))
  const factor = run.soak ? SOAK_FACTOR : 1
  const tally = await race(setting, tenants, (run.short ? SHORT_SERVED : SERVED) * factor)
  const rounds = (run.short ? SHORT_ROUNDS : ROUNDS) * factor
  for (let round = 0; round < rounds; round += 1)
    for (const tenant of tenants) {
      const held = await fill(setting, tenant, PLANS[tenant.plan].full, `round ${round}`)
      await finish(setting, tenant, held, `round ${round}`)
    }
  for (const tenant of tenants) await leaveRound(setting, tenant)
  const closedMs: number[] = []
  const kills = run.short ? 1 : KILLS * factor
  for (let kill = 0; kill < kills; kill += 1) closedMs.push(await killRound(setting, tenants[0]!))
  agent.destroy()
  if (engines.above > 0) run.fail(`${engines.above} requests began beyond a cap`)
  const { served, refused } = tally
  const closed = (Math.max(...closedMs) / 1_000).toFixed(1)
  return { served, refused, rounds, kills, closed_s_max: closed, above: engines.above }
})
