import type { Config } from '../config/load.ts'
import { COUNTER_NAMES, type CountedEngine } from '../engines/adapters/read-counters.ts'
import { startDiscovery, type Discovery } from '../engines/discovery/discovery.ts'
import type { Log } from '../lib/log.ts'
import { createMeter, type Gauge } from '../lib/meter.ts'
import { HOUR_MS } from '../lib/time.ts'
import { announceVersions } from '../platform/use-case/announce.ts'
import { whileLeader } from '../store/postgres/leadership.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openReconciliations } from '../store/ledger/reconciliations.ts'
import type { RaisedVersion } from '../store/tenants/versions.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../store/valkey/acknowledge.ts'
import { announceOrdersJob } from '../worker/announce-orders.ts'
import { announceVersionsJob } from '../worker/announce-versions.ts'
import { closeLost } from '../worker/close-lost.ts'
import { SUMS_DAYS } from '../store/postgres/partitions.ts'
import { expireCreditsJob } from '../worker/money/expire-credits.ts'
import { expireUsageJob } from '../worker/expire-usage.ts'
import { issueStatementsJob } from '../worker/money/issue-statements.ts'
import { makePartitions } from '../worker/make-partitions.ts'
import { postUsageJob } from '../worker/post-usage.ts'
import { purgeContent } from '../worker/purge-content.ts'
import { purgePeople } from '../worker/purge-people.ts'
import { recordAlerts } from '../worker/record-alerts.ts'
import { reconcile } from '../worker/reconcile.ts'
import { recountRunning } from '../worker/recount-running.ts'
import { resyncFunds } from '../worker/resync-funds.ts'
import { startTopUpsJob } from '../worker/money/start-top-ups.ts'
import { sumLedgerJob } from '../worker/sum-ledger.ts'
import { runJobs, runOnce, type Job, type JobsOptions } from '../worker/run-jobs.ts'
import { trimKeptJob } from '../worker/trim-kept.ts'
import { watchBacklog } from '../worker/watch-backlog.ts'
import { createWorkerMetrics, type WorkerMetrics } from '../worker/worker-metrics.ts'
import { openConfiguration, type Configuration } from './configuration.ts'
import { expandEngines } from './serving/expand-engines.ts'
import { listen } from './listen.ts'
import { openLog } from './open-log.ts'
import { invoiceRules } from './payments/invoice-rules.ts'
import { topUpRules } from './payments/top-up-rules.ts'
import { groupsOf } from './serving/open-serving.ts'
import { createProcessHealth } from './process-health.ts'

/** No client waits for the worker, so its statements may be slow. */
const QUERY_TIMEOUT_MS = 60_000
const VALKEY_TIMEOUT_MS = 5_000

/** Posting uses two; the other jobs run occasionally. The leader's lock has one of its own. */
export const CONNECTIONS_MAX = 6

export type RunningWorker = {
  readonly healthAddress: string
  reload(load: () => Config): Promise<void>
  /** Lets each job finish its current run, then closes everything. */
  stop(): Promise<void>
}

/** Builds the worker from its parts and starts its jobs. */
export async function serveWorker(
  config: Config,
  log: Log = openLog(config),
): Promise<RunningWorker> {
  const postgres = openPostgres(config.database_url, {
    name: 'headrace worker',
    connectionsMax: CONNECTIONS_MAX,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  })
  const valkey = openValkey(config.valkey_urls, { timeoutMs: VALKEY_TIMEOUT_MS })
  // Waiting for replicas blocks the connection, so announcements have one of their own.
  const announcing = openValkey(config.valkey_urls, { timeoutMs: ACKNOWLEDGE_TIMEOUT_MS })
  const meter = createMeter()
  const metrics = createWorkerMetrics(meter)
  const stopping = new AbortController()
  const ready = async () => ({
    working: !stopping.signal.aborted,
    valkey: await valkey.isReady(),
    postgres: await postgres.pool.query('select 1').then(
      () => true,
      () => false,
    ),
  })
  const discovery = startDiscovery(() => undefined, log)
  discovery.follow(groupsOf(config))
  const apply = async (next: Config) => discovery.follow(groupsOf(next))
  const configuration = openConfiguration('worker', config, { log, meter, apply })
  const health = createProcessHealth(configuration, { meter, ready })
  const address = await listen(health, config.worker.health_port, config.api.host)
  log.info({ address }, 'listening for health checks')
  // If Valkey is unavailable, the jobs retry.
  await valkey.connected(VALKEY_TIMEOUT_MS).catch(() => {})
  const parts = { postgres, valkey, announcing, metrics, log, configuration, discovery }
  const ended = runAll(config, parts, stopping.signal)
  return {
    healthAddress: `http://${address}`,
    reload: (load) => configuration.reload(load),
    async stop() {
      stopping.abort()
      discovery.close()
      await ended
      health.closeAllConnections()
      health.close()
      await Promise.all([announcing, valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
    },
  }
}

type Parts = {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly announcing: Valkey
  readonly metrics: WorkerMetrics
  readonly log: Log
  readonly configuration: Configuration
  readonly discovery: Discovery
}

async function runAll(config: Config, parts: Parts, signal: AbortSignal): Promise<void> {
  const { postgres, metrics, log } = parts
  const options = { log, onError: metrics.onJobError }
  const partitions = makePartitions(postgres.pool, log)
  const post = async () => {
    await runOnce(partitions, signal, options)
    await runJobs([createPosting(config, parts)], signal, options)
  }
  await Promise.all([
    post(),
    runJobs(watchingJobs(config, parts), signal, options),
    whileLeader(config.database_url, signal, (term) => lead(config, parts, term, options)),
  ])
}

/** The jobs of the whole system, which one worker does for all. */
async function lead(
  config: Config,
  parts: Parts,
  term: AbortSignal,
  options: JobsOptions,
): Promise<void> {
  const { metrics, log } = parts
  log.info({}, 'this worker is the leader')
  metrics.leader.record(1)
  const reported = new Set<Gauge>()
  const report = (source: string, name: string, value: number) => {
    if (term.aborted) return
    const difference = metrics.difference(source, name)
    reported.add(difference)
    difference.record(value)
  }
  const onEnd = () => {
    // From now on another worker reports them.
    for (const difference of reported) difference.record(0)
    metrics.leader.record(0)
    log.info({}, 'this worker is no longer the leader')
  }
  term.addEventListener('abort', onEnd, { once: true })
  await runJobs(leaderJobs(config, parts, report), term, options)
}

function createPosting({ usage }: Config, parts: Parts): Job {
  const { postgres, valkey, metrics, log } = parts
  return postUsageJob({
    pool: postgres.pool,
    valkey,
    keepMs: usage.keep_posted_hours * HOUR_MS,
    metrics,
    log,
  })
}

/** Of every worker: they need only Valkey and go on while PostgreSQL is unavailable. */
function watchingJobs({ worker }: Config, { valkey, metrics, log }: Parts): Job[] {
  return [
    closeLost({ valkey, leaseSeconds: worker.lease_seconds, metrics, log }),
    watchBacklog(valkey, metrics),
  ]
}

function leaderJobs(
  config: Config,
  { postgres, valkey, announcing, log, configuration, discovery }: Parts,
  report: (source: string, name: string, value: number) => void,
): Job[] {
  const { worker, retention, usage } = config
  const recordsDays = config.ledger.records_days
  const { pool, database } = postgres
  const replicasMin = usage.acknowledged_replicas
  const days = { standard: retention.standard_days, contributor: retention.contributor_days }
  const announce = (raised: readonly RaisedVersion[]) =>
    announceVersions({ database, valkey: announcing, replicasMin }, raised)
  return [
    announceVersionsJob({ database, announce }),
    expireCreditsJob({ database, valkey, announce }),
    recountRunning(valkey, log),
    announceOrdersJob(database, valkey),
    trimKeptJob(valkey, usage.keep_posted_hours * HOUR_MS),
    sumLedgerJob(pool),
    issueStatementsJob({
      pool,
      valkey,
      log,
      rulesNow: () => invoiceRules(configuration.current),
    }),
    makePartitions(pool, log),
    purgeContent(postgres, days, log),
    purgePeople(postgres.database),
    expireUsageJob(
      pool,
      { ...SUMS_DAYS, usage_records: recordsDays, usage_transfers: recordsDays },
      log,
    ),
    recordAlerts(postgres.database),
    ...topUpJobs(configuration, database),
    reconcile({
      reconciliations: openReconciliations(pool, valkey),
      get engines() {
        return countedEngines(configuration.current, discovery)
      },
      get generationMsMax() {
        const { models } = configuration.current
        return Math.max(0, ...models.map((model) => model.total_seconds)) * 1000
      },
      everyMs: worker.reconcile_seconds * 1000,
      log,
      resyncFunds: (sinceMs, signal) => resyncFunds(pool, valkey, sinceMs, signal),
      report,
    }),
  ]
}

/** Whoever has the provider's key charges what this job starts. A reload may change the plans. */
function topUpJobs(configuration: Configuration, database: Postgres['database']): Job[] {
  if (configuration.current.payments === undefined) return []
  return [startTopUpsJob(database, () => topUpRules(configuration.current))]
}

function countedEngines(config: Config, discovery: Discovery): CountedEngine[] {
  const { engines } = expandEngines(config, discovery.found())
  return engines.flatMap(({ name, url, rank = 0, api_key: apiKey, kind, workers }) =>
    // Others have counters of unknown names, if any, or those of one of several workers. The page
    // of a rank has the counters of all ranks.
    kind === 'openai' || workers === 'many' || rank > 0
      ? []
      : [{ name, url, apiKey, counters: COUNTER_NAMES[kind] }],
  )
}
