// A cluster whose primary is killed under load admits no more than the limit and forgets nothing.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { revokeApiKey } from '../../src/store/tenants/api-keys.ts'
import { createLimits, type Limits } from '../../src/store/limits/limits.ts'
import { openPostgres, type Postgres } from '../../src/store/postgres/postgres.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { startPostgres } from '../harness/postgres-server.ts'
import { connectValkey } from '../harness/valkey.ts'
import { codeOf, openLine, type Exchange, type Line } from '../harness/http-client.ts'
import { percentile } from '../harness/measure.ts'
import { startFailingCluster, type FailingCluster } from '../harness/valkey-failover.ts'
import { startLoad } from '../harness/load.ts'
import { openKey, openOrganization } from '../harness/tenants.ts'
import { limitsOf } from '../harness/environment.ts'
import { startReplicas } from './admission/replicas.ts'
import { readStored } from '../harness/stored-limits.ts'

const PROCESSES = 2
const LANES = 12
const PAUSE_MS = 5
const KILLS = 3
const SOAK_KILLS = 60
const BETWEEN_MS = 2_000
/** Full at the start, and then well below what is asked for. */
const REQUESTS_PER_MINUTE = 3_000
const MINUTE_MS = 60_000
/** A request is held for 2.5 s; timers may be a little early by another clock. */
const HELD_MS_MIN = 2_400
const HELD_MS_MAX = 4_000

type World = {
  readonly cluster: FailingCluster
  readonly postgres: Postgres
  readonly limits: Limits
  readonly lines: readonly Line[]
}

type Judged = { readonly failoverMs: number; readonly letIn: number }

/**
 * Kills the primary right after a revocation was answered: the moment at which it is most likely
 * that its replica does not know of it. Whoever uses the key from then on must be refused.
 */
async function killAfterRevocation(world: World, organization: { id: string; projectId: string }) {
  const { cluster, postgres, limits, lines } = world
  const key = await openKey(postgres.database, organization.projectId)
  for (const line of lines) await line.models(key.text)
  const { raised } = await revokeApiKey(postgres.database, key)
  for (const { organizationId, version } of raised)
    await limits.raiseVersion(organizationId, version)
  const killing = cluster.killPrimaryOf(organizationKeys(organization.id).limits)
  const answers = await Promise.all(lines.map((line) => line.models(key.text)))
  const failoverMs = await killing
  answers.push(...(await Promise.all(lines.map((line) => line.models(key.text)))))
  const letIn = answers.filter(({ status }) => status === 200 || status === 429).length
  return { failoverMs, letIn } satisfies Judged
}

function waitsOf(exchanges: readonly Exchange[]): number[] {
  return exchanges.map(({ begunMs, endedMs }) => endedMs - begunMs)
}

/** Errors that a client may see: none but the one for a hold that lasted to its end. */
function isProper(exchange: Exchange): boolean {
  if (exchange.status === 200 || exchange.status === 429) return true
  const [waitMs = 0] = waitsOf([exchange])
  return (
    exchange.status === 503 &&
    codeOf(exchange) === 'rate_limit_unavailable' &&
    waitMs >= HELD_MS_MIN &&
    waitMs <= HELD_MS_MAX
  )
}

function boundOf(exchanges: readonly Exchange[]): number {
  const from = exchanges.reduce((low, { begunMs }) => Math.min(low, begunMs), Infinity)
  const to = exchanges.reduce((high, { endedMs }) => Math.max(high, endedMs), 0)
  return REQUESTS_PER_MINUTE * (1 + (to - from) / MINUTE_MS)
}

async function loadWhileKilling(world: World, kills: number) {
  const { postgres, lines, cluster } = world
  const organization = await openOrganization(postgres.database, 'limited')
  const { text: key } = await openKey(postgres.database, organization.projectId)
  const load = startLoad(LANES, PAUSE_MS, (lane) => {
    const line = lines[lane % lines.length]
    if (line === undefined) throw new Error('there is no api')
    return line.models(key)
  })
  const judged: Judged[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(BETWEEN_MS)
    judged.push(await killAfterRevocation(world, organization))
    await cluster.restore()
  }
  await pause(BETWEEN_MS)
  await load.stop()
  return { load, judged, organizationId: organization.id }
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { soak: { type: 'boolean', default: false }, kills: { type: 'string' } },
  })
  const kills = Number(values.kills ?? (values.soak ? SOAK_KILLS : KILLS))
  await using server = await startPostgres()
  await using cluster = await startFailingCluster()
  await using postgres = openPostgres(server.url)
  await using valkey = await connectValkey(cluster.urls)
  await using limits = createLimits(valkey)
  const limited = limitsOf({ requests_per_minute: REQUESTS_PER_MINUTE })
  await using replicas = await startReplicas({
    count: PROCESSES,
    databaseUrl: server.url,
    valkeyUrls: cluster.urls,
    plans: { limited: { models: 'all', limits: limited } },
  })
  await using opened = new AsyncDisposableStack()
  const lines = replicas.apis.map(({ apiRoot }) => opened.use(openLine(apiRoot, 2 * LANES)))
  const world: World = { cluster, postgres, limits, lines }
  const { load, judged, organizationId } = await loadWhileKilling(world, kills)

  const { exchanges, broken } = load
  const admitted = exchanges.filter(({ status }) => status === 200)
  const { requestsToday } = await readStored(valkey, organizationId)
  const lost = Math.max(0, admitted.length - requestsToday)
  const [refused, away] = [429, 503].map(
    (wanted) => exchanges.filter(({ status }) => status === wanted).length,
  )
  const improper = exchanges.filter((exchange) => !isProper(exchange))
  for (const { status, text } of improper.slice(0, 10)) console.log(`${status} ${text}`)
  for (const error of broken.slice(0, 10)) console.log(`broken: ${error.message}`)
  const letIn = judged.reduce((sum, each) => sum + each.letIn, 0)
  const failovers = judged.map(({ failoverMs }) => Math.round(failoverMs))
  console.log(
    `failovers in ${failovers.join(', ')} ms; waits p50 ` +
      `${percentile(waitsOf(exchanges), 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(waitsOf(exchanges), 0.99).toFixed(1)} ms`,
  )
  const bound = Math.floor(boundOf(exchanges))
  console.log(
    `limits-cluster: kills=${kills} asked=${exchanges.length} admitted=${admitted.length} ` +
      `bound=${bound} counted=${requestsToday} lost=${lost} unavailable=${away} ` +
      `improper=${improper.length + broken.length} revocations_lost=${letIn} ` +
      `longest_wait_ms=${Math.round(percentile(waitsOf(exchanges), 1))}`,
  )
  return (
    lost === 0 &&
    letIn === 0 &&
    improper.length + broken.length === 0 &&
    refused !== 0 &&
    admitted.length <= bound
  )
}

process.exitCode = (await main()) ? 0 : 1
