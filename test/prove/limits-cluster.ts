// A cluster whose primary is killed under load admits no more than the limit and forgets nothing.
// covers: src/store/limits/** src/store/valkey/**
import { setTimeout as pause } from 'node:timers/promises'
import { raiseVersion } from '../../src/store/limits/raise-version.ts'
import { revokeApiKey } from '../../src/store/tenants/api-keys.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { limitsOf, startEnvironment, type Environment } from '../harness/environment.ts'
import {
  codeOf,
  durationMs,
  openLine,
  type Exchange,
  type Line,
} from '../harness/clients/http-client.ts'
import { startLoad } from '../harness/load/load.ts'
import { percentile } from '../harness/figures/measure.ts'
import { startPostgres } from '../harness/servers/postgres-server.ts'
import { runProof } from '../harness/proof.ts'
import { readStored } from '../harness/seed/stored-limits.ts'
import { openKey, type Caller } from '../harness/seed/tenants.ts'
import { startFailingCluster, type FailingCluster } from '../harness/servers/valkey-failover.ts'

const PROCESSES = 2
const CALLERS = 12
const PAUSE_MS = 5
const KILLS = 3
const SOAK_KILLS = 60
const BETWEEN_MS = 2_000
/** Full at the start, and then well below what is asked for. */
const REQUESTS_PER_MINUTE = 3_000
/** Of one of the two keys that are used. */
const OF_KEY_PER_MINUTE = 500
const MINUTE_MS = 60_000
/** A request waits for Valkey for 2.5 s; timers may be a little early by another clock. */
const HELD_MS_MIN = 2_400
const HELD_MS_MAX = 4_000

type Setting = {
  readonly cluster: FailingCluster
  readonly environment: Environment
  readonly lines: readonly Line[]
}

/**
 * Kills the primary right after a revocation was answered, when its replica most likely does not
 * know of it yet. From then on the key must be rejected.
 */
async function killAfterRevocation(setting: Setting, { organizationId, projectId }: Caller) {
  const { cluster, environment, lines } = setting
  const { database } = environment.postgres
  const key = await openKey(database, projectId)
  for (const line of lines) await line.models(key.text)
  const { raised } = await revokeApiKey(database, key)
  for (const each of raised) await raiseVersion(environment.valkey, each)
  const killing = cluster.killPrimaryOf(organizationKeys(organizationId).limits)
  const answers = await Promise.all(lines.map((line) => line.models(key.text)))
  const failoverMs = await killing
  answers.push(...(await Promise.all(lines.map((line) => line.models(key.text)))))
  const admitted = answers.filter(({ status }) => status === 200 || status === 429).length
  return { failoverMs, admitted }
}

/** The only error that a client may see is the one after waiting for Valkey to the end. */
function isProper(exchange: Exchange): boolean {
  if (exchange.status === 200 || exchange.status === 429) return true
  const waitMs = durationMs(exchange)
  return (
    exchange.status === 503 &&
    codeOf(exchange) === 'rate_limit_unavailable' &&
    waitMs >= HELD_MS_MIN &&
    waitMs <= HELD_MS_MAX
  )
}

function boundOf(perMinute: number, exchanges: readonly Exchange[]): number {
  const from = exchanges.reduce((low, { begunMs }) => Math.min(low, begunMs), Infinity)
  const to = exchanges.reduce((high, { endedMs }) => Math.max(high, endedMs), 0)
  return Math.floor(perMinute * (1 + (to - from) / MINUTE_MS))
}

async function loadWhileKilling(setting: Setting, kills: number) {
  const { environment, lines, cluster } = setting
  const caller = await environment.openCaller('limited')
  const settings = { requestsPerMinute: OF_KEY_PER_MINUTE }
  const limited = await openKey(environment.postgres.database, caller.projectId, settings)
  const ofKey: Exchange[] = []
  const load = startLoad(CALLERS, PAUSE_MS, async (worker) => {
    const line = lines[worker % lines.length]!
    if (worker < CALLERS / 2) return line.models(caller.key)
    const exchange = await line.models(limited.text)
    ofKey.push(exchange)
    return exchange
  })
  const failoversMs: number[] = []
  let revocationsLost = 0
  for (let kill = 0; kill < kills; kill += 1) {
    // time is under test: the load runs between two failovers.
    await pause(BETWEEN_MS)
    const { failoverMs, admitted } = await killAfterRevocation(setting, caller)
    failoversMs.push(Math.round(failoverMs))
    revocationsLost += admitted
    await cluster.restore()
  }
  // time is under test: the load runs after the last failover.
  await pause(BETWEEN_MS)
  await load.stop()
  return { ...load, ofKey, failoversMs, revocationsLost, organizationId: caller.organizationId }
}

await runProof(
  'limits-cluster',
  async (run) => {
    const kills = Number(run.values['kills'] ?? (run.soak ? SOAK_KILLS : KILLS))
    await using server = await startPostgres()
    await using cluster = await startFailingCluster()
    const limited = limitsOf({ requests_per_minute: REQUESTS_PER_MINUTE })
    await using environment = await startEnvironment({
      databaseUrl: server.url,
      valkey: cluster.urls,
      plans: { limited: { models: 'all', limits: limited } },
    })
    await using opened = new AsyncDisposableStack()
    const apis = await environment.startApis(PROCESSES)
    const lines = apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, 2 * CALLERS)))
    const loaded = await loadWhileKilling({ cluster, environment, lines }, kills)

    const { exchanges, broken, failoversMs, revocationsLost } = loaded
    const [admitted, rejected, unavailable] = [200, 429, 503].map(
      (wanted) => exchanges.filter(({ status }) => status === wanted).length,
    ) as [number, number, number]
    const { requestsToday } = await readStored(environment.valkey, loaded.organizationId)
    const lost = Math.max(0, admitted - requestsToday)
    const improper = exchanges.filter((exchange) => !isProper(exchange))
    const waits = exchanges.map(durationMs)
    const bound = boundOf(REQUESTS_PER_MINUTE, exchanges)
    const keyBound = boundOf(OF_KEY_PER_MINUTE, loaded.ofKey)
    const keyAdmitted = loaded.ofKey.filter(({ status }) => status === 200).length
    for (const { status, text } of improper) run.fail(`${status} ${text}`)
    for (const { message } of broken) run.fail(`broken: ${message}`)
    if (lost > 0) run.fail(`Valkey forgot ${lost} admissions`)
    if (revocationsLost > 0) run.fail(`${revocationsLost} requests used a revoked key`)
    if (rejected === 0) run.fail('the load was not above the limit')
    if (keyAdmitted > keyBound) run.fail(`${keyAdmitted} of a key, which is above ${keyBound}`)
    if (!loaded.ofKey.some(({ text }) => text.includes('This API key reached')))
      run.fail('the load was not above the limit of the key')
    if (admitted > bound) run.fail(`${admitted} admitted, which is above ${bound}`)
    console.log(
      `failovers in ${failoversMs.join(', ')} ms; waits p50 ` +
        `${percentile(waits, 0.5).toFixed(1)} ms, p99 ${percentile(waits, 0.99).toFixed(1)} ms`,
    )
    return {
      kills,
      asked: exchanges.length,
      admitted,
      bound,
      key_admitted: keyAdmitted,
      key_bound: keyBound,
      counted: requestsToday,
      lost,
      unavailable,
      improper: improper.length + broken.length,
      revocations_lost: revocationsLost,
      longest_wait_ms: Math.round(percentile(waits, 1)),
    }
  },
  { kills: { type: 'string' } },
)
