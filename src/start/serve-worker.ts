import { pino } from 'pino'
import type { Config } from '../config/load.ts'
import { COUNTER_NAMES } from '../engines/adapters/read-counters.ts'
import { createHealthServer } from '../http/health.ts'
import type { Log } from '../lib/log.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openReconciliations } from '../store/ledger/reconciliations.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { closeLost } from '../worker/close-lost.ts'
import { makePartitions } from '../worker/make-partitions.ts'
import { postUsageJob } from '../worker/post-usage.ts'
import { purgeContent } from '../worker/purge-content.ts'
import { reconcile } from '../worker/reconcile.ts'
import { runJobs, type Job } from '../worker/run-jobs.ts'
import { watchBacklog } from '../worker/watch-backlog.ts'
import { createWorkerMetrics, type WorkerMetrics } from '../worker/worker-metrics.ts'
import { listen } from './listen.ts'

/** No client waits for the worker, so its statements may be slow. */
const QUERY_TIMEOUT_MS = 60_000
const VALKEY_TIMEOUT_MS = 5_000

/** Posting uses two; the other jobs run occasionally. */
const CONNECTIONS_MAX = 6

export type RunningWorker = {
  readonly healthAddress: string
  /** Lets each job finish its current run, then closes everything. */
  stop(): Promise<void>
}

/** Builds the worker from its parts and starts its jobs. */
export async function serveWorker(config: Config): Promise<RunningWorker> {
  const log: Log = pino({ level: config.api.log_level, base: null })
  const postgres = openPostgres(config.database_url, {
    connectionsMax: CONNECTIONS_MAX,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  })
  const valkey = openValkey(config.valkey_urls, { timeoutMs: VALKEY_TIMEOUT_MS })
  const metrics = createWorkerMetrics()
  const stopping = new AbortController()
  const health = createHealthServer(
    async () => ({
      working: !stopping.signal.aborted,
      valkey: await valkey.isReady(),
      postgres: await postgres.pool.query('select 1').then(
        () => true,
        () => false,
      ),
    }),
    undefined,
    metrics.page,
  )
  const address = await listen(health, config.worker.health_port, config.api.host)
  log.info({ address }, 'listening for health checks')
  // If Valkey is unavailable, the jobs retry.
  await valkey.connected(VALKEY_TIMEOUT_MS).catch(() => {})
  const jobs = createJobs(config, { postgres, valkey, metrics, log })
  const onError = (job: string) => metrics.jobErrors.add(1, { job })
  const ended = runJobs(jobs, stopping.signal, { log, onError })
  return {
    healthAddress: `http://${address}`,
    async stop() {
      stopping.abort()
      await ended
      health.closeAllConnections()
      health.close()
      await Promise.all([valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
    },
  }
}

type Parts = {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly metrics: WorkerMetrics
  readonly log: Log
}

function createJobs(config: Config, { postgres, valkey, metrics, log }: Parts): Job[] {
  const { worker, retention } = config
  const { pool } = postgres
  const days = { standard: retention.standard_days, contributor: retention.contributor_days }
  return [
    makePartitions(pool, worker.partitions_ahead_days, log),
    postUsageJob({
      pool,
      valkey,
      pollSeconds: worker.poll_seconds,
      batchRecords: worker.batch_records,
      metrics,
      log,
    }),
    closeLost({ valkey, leaseSeconds: worker.lease_seconds, metrics, log }),
    watchBacklog(valkey, metrics),
    purgeContent(postgres, days, log),
    reconcile({
      reconciliations: openReconciliations(pool, valkey),
      engines: config.engines.map(({ name, url, api_key: apiKey, kind }) => ({
        name,
        url,
        apiKey,
        counters: COUNTER_NAMES[kind],
      })),
      generationMsMax: Math.max(0, ...config.models.map((model) => model.total_seconds)) * 1000,
      everyMs: worker.reconcile_seconds * 1000,
      log,
      report: (source, name, value) => metrics.difference.record(value, { source, name }),
    }),
  ]
}
