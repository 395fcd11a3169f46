import type { Server } from 'node:http'
import type { Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { createFleet } from '../engines/fleet/fleet.ts'
import { createAccessLog } from '../http/access-log.ts'
import { createBodyBudget } from '../http/body-budget.ts'
import type { AllowedOrigins } from '../http/cors.ts'
import { endOf } from '../http/request-end.ts'
import { createApiServer } from '../http/server.ts'
import { drain } from '../http/shutdown.ts'
import { createCallIds } from '../inference/call-ids.ts'
import { exposedHeaders } from '../inference/headers.ts'
import { createHandler } from '../inference/routes.ts'
import type { Log } from '../lib/log.ts'
import { createMeter, type Meter } from '../lib/meter.ts'
import { openContentLog, type ContentLog } from '../store/content/content.ts'
import { readMasterKeys } from '../store/content/content-keys.ts'
import { openLastUsed } from '../store/tenants/last-used.ts'
import { createLimits } from '../store/limits/limits.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openSharing } from '../store/fleet/open-sharing.ts'
import { openSharedProbes } from '../store/fleet/shared-probes.ts'
import { openRefusals } from '../store/usage/refusals.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { CLIENT_CONNECTIONS_MAX } from './client-connections.ts'
import { createApiMetrics, type ApiMetrics, watchApi, watchSettlements } from './api-metrics.ts'
import { openConfiguration } from './configuration.ts'
import { createEngineConnector } from './connect-engines.ts'
import { createAccountsFor, signingSecrets } from './serving/create-accounts.ts'
import { listen } from './listen.ts'
import { openLog } from './open-log.ts'
import { openServing, type Serving } from './serving/open-serving.ts'
import { openTracing } from './open-tracing.ts'
import { createProcessHealth } from './process-health.ts'
import { createVocabularyReader } from './read-vocabularies.ts'
import { watchCapabilities } from './watch-capabilities.ts'

/** How long a start waits for Valkey. */
const CONNECT_MS = 1_000

/** A running data plane. */
export type RunningApi = {
  /** Base URL for clients, including the version. */
  readonly apiRoot: string
  readonly healthAddress: string
  /** Serves later requests with a newly loaded configuration, if that is possible. */
  reload(load: () => Config): Promise<void>
  /** Reports not ready, lets streams finish, then closes everything. */
  stop(): Promise<void>
}

export type ServeApiOptions = {
  readonly log?: Log
  /** Whether other processes may listen on the port too. */
  readonly reusePort?: boolean
  /** 0: every token is read alone, even if the process is busy. */
  readonly readPauseMsMax?: number
}

/** Builds the data plane from its parts and listens. */
export async function serveApi(config: Config, options: ServeApiOptions = {}): Promise<RunningApi> {
  const { api } = config
  const { log = openLog(config), reusePort = false } = options
  // First, because an unreadable file must not leave connections open.
  const readVocabularies = createVocabularyReader()
  readVocabularies(config)
  const postgres = openDatabase(config)
  const valkey = openValkey(config.valkey_urls)
  const [limits, refusals] = [createLimits(valkey), openRefusals(valkey)]
  const usageLog = openUsage(config, valkey, log)
  const meter = createMeter()
  const watch = watchRequests(config, meter, log)
  const { traffic } = watch
  const tracing = await openTracing(config, usageLog.instance, log)
  const sharing = openSharing(valkey, usageLog.instance, api.fleet)
  const [stopping, probes] = [new AbortController(), openSharedProbes(valkey, api.fleet)]
  const onLearned = (engine: Engine) => fleet.learned(engine)
  const capabilities = watchCapabilities(probes, log, stopping.signal, onLearned)
  const hooks = { events: watch, onReturning: capabilities.forget, onReturned: capabilities.repeat }
  const fleet = createFleet(new Map(), { log, ...queueOf(api), ...hooks, sharing })
  const lastUsed = openLastUsed(postgres.pool)
  const contentLog = openContent(config, postgres, log)
  const bodyBudget = createBodyBudget(api.body_budget_bytes)
  const accountsFor = createAccountsFor(config, { postgres, valkey, lastUsed, limits, log })
  const counted = watchSettlements(usageLog, watch.onSettle)
  const own = { limits, fleet, refusals, contentLog, bodyBudget, tracing, usageLog: counted }
  const deps = { ...own, ...fixedDeps(config) }
  const serving = await openServing(config, {
    readVocabularies,
    connector: createEngineConnector(config, options.readPauseMsMax),
    fleet,
    capabilities: api.probe_engines ? capabilities : undefined,
    handlerFor: (current, catalog) =>
      createHandler(rootPath(config), { ...deps, accounts: accountsFor(current), catalog }),
    log,
  })
  const { discovery, apply } = serving
  const configuration = openConfiguration('api', config, { log, meter, apply })
  watchApi(meter, { fleet, bodyBudget, contentLog, usageLog, tracing, discovery })
  const apiServer = openServer(config, serving, watch, log)
  const ready = async () => ({ serving: !stopping.signal.aborted, valkey: await valkey.isReady() })
  const engines = () => ({
    engines: Object.fromEntries(capabilities.capabilities),
    states: fleet.states(),
    pools: fleet.pools(),
    discovery: discovery.states(),
  })
  const health = createProcessHealth(configuration, { meter, ready, engines, traffic })
  // The first heartbeat leases slots, before requests are accepted.
  await valkey.connected(CONNECT_MS).catch(() => undefined)
  await fleet.start()
  const address = await listen(apiServer.server, api.port, api.host, reusePort)
  const healthAddress = await listen(health, api.health_port, api.host)
  logAddresses(log, address, healthAddress)
  return {
    apiRoot: `http://${address}${rootPath(config)}`,
    healthAddress: `http://${healthAddress}`,
    reload: (load) => configuration.reload(load),
    async stop() {
      stopping.abort()
      discovery.close()
      await drain(apiServer, drainTimes(api))
      closeNow(health)
      // The fleet last of these three: engines still count the prompts of clients that left.
      const written = [limits, usageLog, fleet, refusals, lastUsed, contentLog]
      for (const writer of [...written, tracing?.spans]) await writer?.[Symbol.asyncDispose]()
      await Promise.all([valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
    },
  }
}

/** Content that waits to be stored, per process; beyond it content is dropped. */
const CONTENT_QUEUE_BYTES_MAX = 64 * 2 ** 20

/** What requests need of settings that a reload cannot change. */
function fixedDeps(config: Config) {
  const callIds = createCallIds(signingSecrets(config))
  return { callIds, bodyBytesMax: config.api.body_bytes_max }
}

function openServer(config: Config, { handle }: Serving, watch: ApiMetrics, log: Log) {
  const { api } = config
  return createApiServer({
    handle,
    origins: allowedOrigins(config),
    exposedHeaders: exposedHeaders(api.retention_header),
    connectionsMax: CLIENT_CONNECTIONS_MAX,
    log,
    onEnd: (call, error) => watch.onEnd(call, endOf(call, error)),
  })
}

function rootPath({ api }: Config): string {
  return `/${api.path_segment}/v1`
}

function closeNow(server: Server): void {
  server.closeAllConnections()
  server.close()
}

function logAddresses(log: Log, address: string, healthAddress: string): void {
  log.info({ address }, 'listening')
  log.info({ address: healthAddress }, 'listening for health checks')
}

/** The metrics, and the access log if there is one. */
function watchRequests(config: Config, meter: Meter, log: Log): ApiMetrics {
  const metrics = createApiMetrics(meter, config)
  if (!config.api.access_log) return metrics
  const accessLog = createAccessLog(log)
  return {
    ...metrics,
    onSettle(record) {
      metrics.onSettle(record)
      accessLog.onSettle(record)
    },
    onEnd(call, end) {
      metrics.onEnd(call, end)
      accessLog.onEnd(call, end)
    },
  }
}

/** The console's own pages always: its playground calls the API from the browser. */
function allowedOrigins({ api, console: settings }: Config): AllowedOrigins {
  if (api.cors_origins.includes('*')) return 'all'
  return new Set([...api.cors_origins, new URL(settings.public_url).origin])
}

function queueOf({ queue_seconds: seconds }: Config['api']) {
  return { queueMs: seconds * 1000 }
}

function drainTimes({ linger_seconds: linger, drain_seconds: grace }: Config['api']) {
  return { lingerMs: linger * 1000, graceMs: grace * 1000 }
}

function openUsage({ usage, valkey_urls: urls }: Config, valkey: Valkey, log: Log) {
  return openUsageLog(valkey, {
    log,
    acknowledged: { replicas: usage.acknowledged_replicas, urls },
  })
}

/** Without an encryption key no content is retained. */
function openContent(config: Config, { pool }: Postgres, log: Log): ContentLog | undefined {
  if (config.content_key === undefined) return undefined
  const masterKeys = readMasterKeys(config.content_key, config.accepted_content_keys)
  return openContentLog(pool, { masterKeys, bytesMax: CONTENT_QUEUE_BYTES_MAX, log })
}

function openDatabase({ database, database_url: url }: Config) {
  return openPostgres(url, { name: 'headrace api', connectionsMax: database.connections })
}
