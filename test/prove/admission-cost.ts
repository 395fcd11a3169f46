// A known caller costs one round trip to Valkey and none to PostgreSQL; what a core of it can do.
import { parseArgs } from 'node:util'
import { createLimits } from '../../src/store/limits/limits.ts'
import { openUsageLog } from '../../src/store/usage/usage-log.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import type { Valkey } from '../../src/store/valkey/valkey.ts'
import { NO_FUNDS } from '../harness/limits-asks.ts'
import { keepLines } from '../harness/lines.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { endOf, openedRecord, PRICE } from '../harness/usage-records.ts'
import { connectValkey, startValkey } from '../harness/valkey.ts'
import { openLine, type Exchange } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { openKey, openOrganization } from '../harness/tenants.ts'
import { AMPLE, limitsOf } from '../harness/environment.ts'
import { startReplicas } from './admission/replicas.ts'
import { costBetween, readServerCost } from './admission/server-cost.ts'

const REQUESTS = 4_000
const WARMING = 1_000
const LANES = 16
const ADMISSIONS = 150_000
const SETTLEMENTS = 30_000
const SOAK_FACTOR = 10
/** Requests that wait for their admission at the same time. */
const OUTSTANDING = 256
/** As many as are outstanding, so that no two of them share a call. */
const MANY_ORGANIZATIONS = 256
const MICROSECONDS = 1_000_000

const LIMITS = {
  requestsPerMinute: AMPLE,
  requestsPerDay: AMPLE,
  tokensPerMinute: AMPLE,
  tokensPerDay: AMPLE,
}

/** Opens no record; opens one that costs nothing; opens one that is covered by a balance. */
const KINDS = {
  models: { ...NO_FUNDS, reserved: null },
  chat: { ...NO_FUNDS, reserved: 0 },
  paid: { ...NO_FUNDS, billing: 'prepaid', granted: Number.MAX_SAFE_INTEGER, reserved: 1_000 },
} as const

type Measured = {
  readonly perSecond: number
  readonly callsEach: number
  readonly serverCpuMicros: number
  readonly ownCpuMicros: number
}

/** Does something that many times, with a fixed number outstanding, and tells what each cost. */
async function measure(
  valkey: Valkey,
  count: number,
  act: (index: number) => Promise<void>,
): Promise<Measured> {
  const before = await readServerCost(valkey)
  const cpu = process.cpuUsage()
  const sinceMs = performance.now()
  let begun = 0
  const lane = async () => {
    while (begun < count) await act(begun++)
  }
  await Promise.all(Array.from({ length: OUTSTANDING }, lane))
  const seconds = (performance.now() - sinceMs) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const { scriptCalls, cpuSeconds } = costBetween(before, await readServerCost(valkey))
  return {
    perSecond: begun / seconds,
    callsEach: scriptCalls / begun,
    serverCpuMicros: (cpuSeconds / begun) * MICROSECONDS,
    ownCpuMicros: (user + system) / begun,
  }
}

/** Admissions and settlements without HTTP: one organization shares calls, many do not. */
async function measureStore(
  server: { readonly url: string },
  organizations: number,
  count: number,
  kind: keyof typeof KINDS,
): Promise<{ readonly admission: Measured; readonly settlement: Measured | undefined }> {
  await using valkey = await connectValkey([server.url])
  await using limits = createLimits(valkey)
  await using usageLog = openUsageLog(valkey, { log: keepLines().log })
  const { reserved, ...funds } = KINDS[kind]
  const ids = Array.from({ length: organizations }, () => crypto.randomUUID())
  const asks = Array.from({ length: count }, (_, index) => {
    const organizationId = ids[index % ids.length] ?? ''
    const projectId = organizationId
    const record =
      reserved === null
        ? null
        : openedRecord({
            organizationId,
            projectId,
            price: reserved === 0 ? null : PRICE,
            reserved,
          })
    const known = { organizationId, projectId, version: 1, fresh: false, limits: LIMITS, funds }
    return { ...known, tokens: 100, record }
  })
  for (const ask of asks.slice(0, organizations)) await limits.admit({ ...ask, fresh: true })
  const admission = await measure(valkey, count, async (index) => {
    const { kind: decided } = await limits.admit(asks[index]!)
    if (decided !== 'admitted') throw new Error(`an admission was ${decided}`)
  })
  if (reserved === null) return { admission, settlement: undefined }
  // Until the server knows the script, a call is made twice.
  const warming = openedRecord({ organizationId: ids[0]!, price: null, reserved: 0 })
  await usageLog.settle(endOf(warming), warming)
  const settlement = await measure(valkey, count, async (index) => {
    const { record } = asks[index]!
    if (record !== null) await usageLog.settle(endOf(record), record)
  })
  await valkey.call('FLUSHALL', [])
  return { admission, settlement }
}

type HttpMeasured = {
  readonly roundTrips: number
  readonly otherCommands: number
  readonly queries: number
  readonly requests: number
  readonly apiCpuMicros: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** GET /models by known callers, each of an organization of its own. */
async function measureHttp(
  lanes: number,
  valkey: Valkey,
  valkeyUrl: string,
): Promise<HttpMeasured> {
  await using server = await startPostgres({ logStatements: true })
  await using postgres = openPostgres(server.url)
  const plans = { ample: { models: 'all', limits: limitsOf({}) } } as const
  const stores = { databaseUrl: server.url, valkeyUrls: [valkeyUrl] }
  await using replicas = await startReplicas({ count: 1, ...stores, plans })
  const [api] = replicas.apis
  if (api === undefined) throw new Error('there is no api')
  await using line = openLine(api.apiRoot, lanes)
  const keys: string[] = []
  for (let lane = 0; lane < lanes; lane += 1) {
    const { projectId } = await openOrganization(postgres.database, 'ample')
    keys.push((await openKey(postgres.database, projectId)).text)
  }
  const run = async (count: number) => {
    const exchanges: Exchange[] = []
    let begun = 0
    const lane = async (key: string) => {
      while (begun < count) {
        begun += 1
        exchanges.push(await line.models(key))
      }
    }
    await Promise.all(keys.map(lane))
    if (exchanges.some(({ status }) => status !== 200)) throw new Error('a request was refused')
    return exchanges
  }
  await run(WARMING)
  const isLookup = ({ name = '' }) => name.startsWith('identity-')
  const queriesBefore = server.statements.filter(isLookup).length
  const before = await readServerCost(valkey)
  const cpuBefore = api.cpuSeconds()
  const sinceMs = performance.now()
  const exchanges = await run(REQUESTS)
  const seconds = (performance.now() - sinceMs) / 1_000
  const cpuSeconds = api.cpuSeconds() - cpuBefore
  const cost = costBetween(before, await readServerCost(valkey))
  // The log of what was asked may lag behind; a query of ours at the end shows that it has come.
  await waitForLog(server, postgres)
  const took = exchanges.map(({ begunMs, endedMs }) => endedMs - begunMs)
  return {
    requests: exchanges.length,
    roundTrips: cost.scriptCalls,
    otherCommands: cost.calls - cost.scriptCalls,
    queries: server.statements.filter(isLookup).length - queriesBefore,
    apiCpuMicros: (cpuSeconds / exchanges.length) * MICROSECONDS,
    perSecond: exchanges.length / seconds,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  }
}

async function waitForLog(
  server: Awaited<ReturnType<typeof startPostgres>>,
  { pool }: ReturnType<typeof openPostgres>,
): Promise<void> {
  const mark = `select '${crypto.randomUUID()}'`
  await pool.query(mark)
  while (!server.statements.some(({ text }) => text === mark)) await new Promise(setImmediate)
}

function tell(what: string, measured: Measured): string {
  return (
    `${what} ${measured.serverCpuMicros.toFixed(1)} us of Valkey, ` +
    `${measured.ownCpuMicros.toFixed(1)} us of the process, ` +
    `${(1 / measured.callsEach).toFixed(1)} in a call`
  )
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { soak: { type: 'boolean', default: false } } })
  const factor = values.soak ? SOAK_FACTOR : 1
  const [admissions, settled] = [ADMISSIONS * factor, SETTLEMENTS * factor]
  const shared: number[] = []
  await using store = await startValkey()
  await using valkey = await connectValkey([store.url])
  const http = await measureHttp(LANES, valkey, store.url)
  console.log(
    `http: ${http.requests} requests of ${LANES} callers, ${http.perSecond.toFixed(0)} a second, ` +
      `p50 ${http.p50Ms.toFixed(1)} ms, p99 ${http.p99Ms.toFixed(1)} ms, ` +
      `${http.roundTrips} script calls, ${http.otherCommands} other commands, ` +
      `${http.queries} queries`,
  )
  const single = await measureStore(store, MANY_ORGANIZATIONS, admissions, 'models')
  const batched = await measureStore(store, 1, admissions, 'models')
  for (const kind of ['chat', 'paid'] as const)
    for (const organizations of [MANY_ORGANIZATIONS, 1]) {
      const { admission, settlement } = await measureStore(store, organizations, settled, kind)
      console.log(`${kind}, ${organizations} organizations: ${tell('admission', admission)}`)
      if (settlement !== undefined)
        console.log(`${kind}, ${organizations} organizations: ${tell('settlement', settlement)}`)
      shared.push(settlement?.callsEach ?? 0)
    }
  const core = (measured: Measured) => Math.round(MICROSECONDS / measured.serverCpuMicros)
  console.log(
    `admission-cost: requests=${http.requests} valkey_each=${http.roundTrips / http.requests} ` +
      `postgres_each=${http.queries / http.requests} ` +
      `api_cpu_us=${http.apiCpuMicros.toFixed(0)} ` +
      `single_per_s=${single.admission.perSecond.toFixed(0)} ` +
      `single_cpu_us=${single.admission.serverCpuMicros.toFixed(1)} ` +
      `single_core_per_s=${core(single.admission)} ` +
      `batched_per_s=${batched.admission.perSecond.toFixed(0)} ` +
      `batched_cpu_us=${batched.admission.serverCpuMicros.toFixed(1)} ` +
      `batched_core_per_s=${core(batched.admission)} ` +
      `batch=${(1 / batched.admission.callsEach).toFixed(1)}`,
  )
  return (
    http.roundTrips === http.requests &&
    http.otherCommands === 0 &&
    http.queries === 0 &&
    single.admission.callsEach === 1 &&
    batched.admission.callsEach < 1 &&
    shared.every((calls) => calls <= 1)
  )
}

process.exitCode = (await main()) ? 0 : 1
