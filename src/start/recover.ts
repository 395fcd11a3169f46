import type { Config } from '../config/load.ts'
import type { Log } from '../lib/log.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { HOUR_MS } from '../lib/time.ts'
import { restoreVersions } from '../platform/operator/restore-versions.ts'
import { openReconciliations } from '../store/ledger/reconciliations.ts'
import { dropFunds } from '../store/limits/drop-funds.ts'
import { readVersions } from '../store/limits/read-versions.ts'
import { FIRST_ID } from '../store/postgres/page.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { countServingConnections } from '../store/postgres/serving-connections.ts'
import { listKeyLimits } from '../store/tenants/list-key-limits.ts'
import { listVersions } from '../store/tenants/versions.ts'
import { readBacklog } from '../store/usage/usage-stream.ts'
import { findRunning } from '../store/valkey/find-running.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { closeOpen } from '../worker/close-open.ts'
import { postKept } from '../worker/post-kept.ts'
import { BATCH_RECORDS, postUsageJob } from '../worker/post-usage.ts'
import { recountHours, type RecountedHour } from '../worker/recount-hours.ts'
import { createWorkerMetrics } from '../worker/worker-metrics.ts'
import { openPlatform, type Platform } from './open-platform.ts'

/** As for the worker: no client waits. */
const QUERY_TIMEOUT_MS = 60_000
const VALKEY_TIMEOUT_MS = 5_000
const CONNECTIONS_MAX = 3

/** Organizations or keys that are read, compared and changed at a time. */
const PAGE = 500

export type RecoverOptions = {
  /** Only counts what there is to do. */
  readonly dryRun: boolean
  /** Goes on although processes run. */
  readonly force: boolean
  /** Whose name the audit log has. */
  readonly by: string
  readonly log: Log
}

/** What was done, or what there is to do. */
export type Recovery = {
  readonly versions: number
  readonly closed: number
  readonly waiting: number
  readonly kept: number
  readonly keptMissing: number
  readonly funds: number
  readonly countersRebuilt: number
  readonly hours: readonly RecountedHour[]
  /** What runs nevertheless: `api` processes in Valkey, and connections to PostgreSQL. */
  readonly running: Running
}

type Running = { readonly processes: ReadonlySet<string>; readonly connections: number }

type Parts = {
  readonly config: Config
  readonly platform: Platform
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly options: RecoverOptions
  /** The `api` processes that run nevertheless. */
  readonly running: ReadonlySet<string>
}

/**
 * Makes PostgreSQL and Valkey agree after one of them was restored to an earlier time than the
 * other, or lost. May be repeated.
 *
 * Funds are dropped last: by then no request is open and nothing waits to be posted, so what the
 * next request reads from PostgreSQL is all that was spent.
 */
export async function recover(config: Config, options: RecoverOptions): Promise<Recovery> {
  await using platform = openPlatform(config, options.log, { connectionsMax: 1 })
  await using postgres = openPostgres(config.database_url, {
    connectionsMax: CONNECTIONS_MAX,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  })
  await using valkey = openValkey(config.valkey_urls, { timeoutMs: VALKEY_TIMEOUT_MS })
  await valkey.connected(VALKEY_TIMEOUT_MS).catch((cause: unknown) => {
    throw new OperatorError('Valkey is unavailable', { cause })
  })
  const running = await checkStopped(config, options, { postgres, valkey })
  const parts = { config, platform, postgres, valkey, options, running: running.processes }
  const versions = await raiseVersions(parts)
  const { closed, waiting } = await settleAndPost(parts)
  const act = options.dryRun ? 'count' : 'post'
  const { kept, missing } = await postKept(postgres.pool, valkey, BATCH_RECORDS, act)
  const funds = await dropAllFunds(parts)
  const reconciliations = openReconciliations(postgres.pool, valkey)
  // Counters that a running process adds to are not replaced.
  const isBusy = !options.dryRun && running.processes.size > 0
  const rebuilds = !options.dryRun && !isBusy
  const { hours, rebuilt } = await recountHours(reconciliations, rebuilds ? 'rebuild' : 'compare')
  return {
    versions,
    closed,
    waiting,
    kept,
    keptMissing: missing,
    funds,
    countersRebuilt: isBusy ? 0 : rebuilt,
    hours,
    running,
  }
}

/** Returns what runs, if that is allowed; a dry run only reports it. */
async function checkStopped(
  config: Config,
  { force, dryRun }: RecoverOptions,
  { postgres, valkey }: Pick<Parts, 'postgres' | 'valkey'>,
): Promise<Running> {
  const processes = await findRunning(valkey, config.api.fleet)
  const connections = await countServingConnections(postgres.pool)
  if (!force && !dryRun && (processes.size > 0 || connections > 0))
    throw new OperatorError(
      'headrace api or headrace worker is still running ' +
        `(${processes.size} in Valkey, ${connections} connections to PostgreSQL): ` +
        'stop all of them first, or use --force',
    )
  return { processes, connections }
}

/** Raises the versions that Valkey knows and PostgreSQL has lost. */
async function raiseVersions({ platform, valkey, options }: Parts): Promise<number> {
  const { environment, postgres } = platform
  const actor = { kind: 'operator_shell', name: options.by, request: null } as const
  let raised = 0
  for (let after = FIRST_ID; ;) {
    const page = await listVersions(postgres.database, after, PAGE)
    const known = await readVersions(
      valkey,
      page.map(({ organizationId }) => organizationId),
    )
    const behind = page.flatMap(({ organizationId, version }) => {
      const newer = known.get(organizationId) ?? 0
      return newer > version ? [{ organizationId, version: newer }] : []
    })
    if (options.dryRun) raised += behind.length
    else if (behind.length > 0)
      raised += await restoreVersions(environment, actor, { known: behind })
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return raised
    after = last.organizationId
  }
}

/** Closes the requests of processes that are gone, and posts what waits. */
async function settleAndPost({ config, postgres, valkey, options, running }: Parts) {
  const before = await readBacklog(valkey)
  if (options.dryRun) return { closed: before.open, waiting: before.records }
  const closed = await closeOpen(valkey, running)
  const { records: waiting } = await readBacklog(valkey)
  const job = postUsageJob({
    pool: postgres.pool,
    valkey,
    keepMs: config.usage.keep_posted_hours * HOUR_MS,
    metrics: createWorkerMetrics(),
    log: options.log,
  })
  const { signal } = new AbortController()
  while (await job.run(signal));
  return { closed, waiting }
}

/** What is stored in Valkey of the funds of organizations and of API keys with limits. */
async function dropAllFunds({ postgres, valkey, options }: Parts): Promise<number> {
  const { database } = postgres
  const act = options.dryRun ? 'count' : 'drop'
  let dropped = 0
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const page = await listVersions(database, after, PAGE)
    dropped += await dropFunds(
      valkey,
      page.map(({ organizationId }) => ({ organizationId })),
      act,
    )
    after = page.length < PAGE ? undefined : page.at(-1)?.organizationId
  }
  for (let after: string | undefined = FIRST_ID; after !== undefined;) {
    const page = await listKeyLimits(database, after, PAGE)
    dropped += await dropFunds(valkey, page, act)
    after = page.length < PAGE ? undefined : page.at(-1)?.keyId
  }
  return dropped
}
