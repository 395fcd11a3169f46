// A known caller costs one round trip to Valkey and none to PostgreSQL; admissions per core.
// covers: src/inference/** src/store/limits/** src/store/valkey/**
import { createLimits } from '../../src/store/limits/limits.ts'
import { openUsageLog } from '../../src/store/usage/usage-log.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { AMPLE, startEnvironment } from '../harness/environment.ts'
import { durationMs, openLine, type Exchange } from '../harness/clients/http-client.ts'
import { askOf, keyLimits, NO_FUNDS } from '../harness/load/limits-asks.ts'
import { keepLines } from '../harness/lines.ts'
import { percentile } from '../harness/figures/measure.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { runProof } from '../harness/proof.ts'
import { endOf, openedRecord, PRICE } from '../harness/seed/usage-records.ts'
import { connectValkey, startValkey } from '../harness/servers/valkey.ts'
import { measureServer } from './admission-cost/server-cost.ts'

const REQUESTS = 4_000
const WARMING = 1_000
const CALLERS = 16
const ADMISSIONS = 150_000
const SETTLEMENTS = 30_000
const SOAK_FACTOR = 10
/** Requests that wait for their admission at the same time. */
const OUTSTANDING = 256
/** As many as are outstanding, so that no two of them share a call. */
const MANY_ORGANIZATIONS = 256
/** This process is busy for long, and timers fire before replies are read. */
const TIMEOUT_MS = 30_000
/** The interval at which a process exchanges what it knows with others. */
const HEARTBEAT_MS = 250
const BEATS_SPARE = 2
const MICROSECONDS = 1_000_000
const LIMITS = {
  requestsPerMinute: AMPLE,
  requestsPerDay: AMPLE,
  tokensPerMinute: AMPLE,
  tokensPerDay: AMPLE,
}

const PAID = {
  funds: { ...NO_FUNDS, billing: 'prepaid', granted: Number.MAX_SAFE_INTEGER },
  record: { price: PRICE, reserved: 1_000 },
} as const

/**
 * Opens no record; opens one that costs nothing; opens one that is covered by a balance; the same
 * of a key with limits of its own.
 */
const KINDS = {
  models: { funds: NO_FUNDS, record: null },
  chat: { funds: NO_FUNDS, record: { price: null, reserved: 0 } },
  paid: PAID,
  limited: { ...PAID, isLimited: true },
} as const

type Measured = {
  readonly perSecond: number
  readonly callsEach: number
  readonly serverCpuMicros: number
  readonly ownCpuMicros: number
}

/** Does something `count` times, with a fixed number outstanding, and measures the cost of each. */
async function measure(
  valkey: Valkey,
  count: number,
  act: (index: number) => Promise<void>,
): Promise<Measured> {
  const readCost = await measureServer(valkey)
  const cpu = process.cpuUsage()
  const sinceMs = performance.now()
  let begun = 0
  const work = async () => {
    while (begun < count) await act(begun++)
  }
  await Promise.all(Array.from({ length: OUTSTANDING }, work))
  const seconds = (performance.now() - sinceMs) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const { scriptCalls, cpuSeconds } = await readCost()
  return {
    perSecond: begun / seconds,
    callsEach: scriptCalls / begun,
    serverCpuMicros: (cpuSeconds / begun) * MICROSECONDS,
    ownCpuMicros: (user + system) / begun,
  }
}

/** Admissions and settlements without HTTP: one organization shares calls, many do not. */
async function measureStore(
  valkeyUrl: string,
  organizations: number,
  count: number,
  kind: keyof typeof KINDS,
): Promise<{ readonly admission: Measured; readonly settlement?: Measured }> {
  await using valkey = await connectValkey([valkeyUrl], { timeoutMs: TIMEOUT_MS })
  await using limits = createLimits(valkey)
  await using usageLog = openUsageLog(valkey, { log: keepLines().log })
  const { funds, record } = KINDS[kind]
  const settings = { requestsPerMinute: AMPLE, spendingLimit: Number.MAX_SAFE_INTEGER }
  const ids = Array.from({ length: organizations }, () => crypto.randomUUID())
  const isLimited = 'isLimited' in KINDS[kind]
  const keys = ids.map((id) => (isLimited ? keyLimits({ ...settings, id }) : null))
  const asks = Array.from({ length: count }, (_, index) => {
    const organizationId = ids[index % ids.length] ?? ''
    const names = { organizationId, projectId: organizationId }
    const key = keys[index % keys.length] ?? null
    const ofKey = key === null ? {} : { limitsId: key.id }
    const opened = record && openedRecord({ ...names, ...ofKey, ...record })
    const known = { fresh: false, limits: LIMITS, tokens: 100, funds, key }
    return askOf({ ...names, ...known, record: opened })
  })
  for (const ask of asks.slice(0, organizations)) await limits.admit({ ...ask, fresh: true })
  const admission = await measure(valkey, count, async (index) => {
    const { kind: decided } = await limits.admit(asks[index]!)
    if (decided !== 'admitted') throw new Error(`an admission was ${decided}`)
  })
  if (record === null) return { admission }
  // Until the server knows the script, a call is made twice.
  const warming = openedRecord({ organizationId: ids[0]!, price: null, reserved: 0 })
  await usageLog.settle(endOf(warming), warming)
  const settlement = await measure(valkey, count, async (index) => {
    const { record: opened } = asks[index]!
    if (opened !== null) await usageLog.settle(endOf(opened), opened)
  })
  await valkey.call('FLUSHALL', [])
  return { admission, settlement }
}

/** GET /models by known callers, each of an organization of its own. */
async function measureHttp(valkeyUrl: string) {
  await using server = await startPostgres({ logStatements: true })
  // Never called. For one whose cache belongs to slots, a process registers in Valkey every second.
  const engines = [{ name: 'unused', url: 'http://127.0.0.1:9', kind: 'vllm' as const }]
  const stores = { databaseUrl: server.url, valkey: [valkeyUrl] }
  await using environment = await startEnvironment({ engines, ...stores })
  const api = await environment.startApi()
  await using line = openLine(api.apiRoot, CALLERS)
  const callers = Array.from({ length: CALLERS }, () => environment.openCaller())
  const keys = (await Promise.all(callers)).map(({ key }) => key)
  const send = async (count: number) => {
    const exchanges: Exchange[] = []
    let begun = 0
    const work = async (key: string) => {
      while (begun < count) {
        begun += 1
        exchanges.push(await line.models(key))
      }
    }
    await Promise.all(keys.map(work))
    if (exchanges.some(({ status }) => status !== 200)) throw new Error('a request was rejected')
    return exchanges.map(durationMs)
  }
  await send(WARMING)
  const countLookups = async () => {
    await server.countStatements()
    return server.statements.filter(({ name = '' }) => name.startsWith('identity-')).length
  }
  const queriesBefore = await countLookups()
  const readCost = await measureServer(environment.valkey)
  const cpuBefore = api.cpuSeconds()
  const sinceMs = performance.now()
  const took = await send(REQUESTS)
  const seconds = (performance.now() - sinceMs) / 1_000
  const cpuSeconds = api.cpuSeconds() - cpuBefore
  const cost = await readCost()
  const queries = (await countLookups()) - queriesBefore
  console.log(
    `http: ${took.length} requests of ${CALLERS} callers, ` +
      `${(took.length / seconds).toFixed(0)} a second, ` +
      `p50 ${percentile(took, 0.5).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms, ` +
      `${cost.scriptCalls} script calls, ${cost.otherCalls} other commands, ${queries} queries`,
  )
  return {
    requests: took.length,
    scriptCalls: cost.scriptCalls,
    otherCalls: cost.otherCalls,
    heartbeatsMax: Math.ceil((seconds * 1_000) / HEARTBEAT_MS) + BEATS_SPARE,
    queries,
    apiCpuMicros: (cpuSeconds / took.length) * MICROSECONDS,
  }
}

function show(title: string, measured: Measured): void {
  console.log(
    `${title} ${measured.serverCpuMicros.toFixed(1)} us of Valkey, ` +
      `${measured.ownCpuMicros.toFixed(1)} us of the process, ` +
      `${(1 / measured.callsEach).toFixed(1)} in a call`,
  )
}

await runProof('admission-cost', async (run) => {
  const factor = run.soak ? SOAK_FACTOR : 1
  await using store = await startValkey()
  const http = await measureHttp(store.url)
  const count = ADMISSIONS * factor
  const { admission: single } = await measureStore(store.url, MANY_ORGANIZATIONS, count, 'models')
  const { admission: batched } = await measureStore(store.url, 1, count, 'models')
  for (const kind of ['chat', 'paid', 'limited'] as const)
    for (const organizations of [MANY_ORGANIZATIONS, 1]) {
      const measured = await measureStore(store.url, organizations, SETTLEMENTS * factor, kind)
      for (const [name, each] of Object.entries(measured))
        show(`${kind}, ${organizations} organizations: ${name}`, each)
      const { callsEach = 0 } = measured.settlement ?? {}
      if (callsEach > 1) run.fail(`a ${kind} settlement took ${callsEach} calls`)
    }
  const heartbeats = http.scriptCalls - http.requests
  if (heartbeats < 0 || heartbeats > http.heartbeatsMax)
    run.fail('an admission is not one script call')
  if (http.otherCalls !== 0) run.fail('an admission sent other commands to Valkey')
  if (http.queries !== 0) run.fail('a known caller caused a query')
  if (single.callsEach !== 1) run.fail('admissions of many organizations are not one call each')
  if (batched.callsEach >= 1) run.fail('admissions of one organization do not share calls')
  const core = (measured: Measured) => Math.round(MICROSECONDS / measured.serverCpuMicros)
  return {
    requests: http.requests,
    valkey_each: (http.scriptCalls - heartbeats) / http.requests,
    heartbeats,
    postgres_each: http.queries / http.requests,
    api_cpu_us: http.apiCpuMicros.toFixed(0),
    single_per_s: single.perSecond.toFixed(0),
    single_cpu_us: single.serverCpuMicros.toFixed(1),
    single_core_per_s: core(single),
    batched_per_s: batched.perSecond.toFixed(0),
    batched_cpu_us: batched.serverCpuMicros.toFixed(1),
    batched_core_per_s: core(batched),
    batch: (1 / batched.callsEach).toFixed(1),
  }
})
