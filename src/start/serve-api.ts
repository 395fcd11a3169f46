import type { Server } from 'node:http'
import { pino } from 'pino'
import type { Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { startBeat, type Beat } from '../engines/fleet/beat.ts'
import { createFleet } from '../engines/fleet/fleet.ts'
import { createPlacements, type Placements } from '../engines/fleet/placement/placements.ts'
import { sharePlacements } from '../engines/fleet/placement/share-placements.ts'
import { createAccessLog } from '../http/access-log.ts'
import { createBodyBudget } from '../http/body-budget.ts'
import type { AllowedOrigins } from '../http/cors.ts'
import { endOf } from '../http/request-end.ts'
import { createApiServer } from '../http/server.ts'
import { drain } from '../http/shutdown.ts'
import { createCallIds } from '../inference/call-ids.ts'
import { exposedHeaders } from '../inference/headers.ts'
import type { Accounts } from '../inference/identify.ts'
import { createHandler } from '../inference/routes.ts'
import type { Log } from '../lib/log.ts'
import { createMeter, type Meter } from '../lib/meter.ts'
import { openContentLog, type ContentLog } from '../store/content/content.ts'
import { readMasterKeys } from '../store/content/content-keys.ts'
import { createIdentityCache, type IdentityCache } from '../store/tenants/identity-cache.ts'
import { openLastUsed, type LastUsed } from '../store/tenants/last-used.ts'
import { createLimits, type Limits } from '../store/limits/limits.ts'
import { openBeatExchange } from '../store/fleet/beat-exchange.ts'
import { createVersionRepair } from '../store/tenants/versions.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openRefusals } from '../store/usage/refusals.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { openEngineUsers } from '../store/valkey/engine-users.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { readCredential } from '../tenancy/credential.ts'
import { readPlans } from '../tenancy/plan.ts'
import { createSigningKey, playgroundRealm } from '../tenancy/playground-credential.ts'
import { checkBilling, checkStanding } from '../tenancy/standing.ts'
import { createApiMetrics, type ApiMetrics, watchApi, watchSettlements } from './api-metrics.ts'
import { connectEngines, slotServers, type ProcessShare } from './connect-engines.ts'
import { listen } from './listen.ts'
import { openTracing } from './open-tracing.ts'
import { createProcessHealth } from './process-health.ts'
import { readCatalog } from './read-catalog.ts'
import { readVocabularies } from './read-vocabularies.ts'
import { watchCapabilities } from './watch-capabilities.ts'

/** A running data plane. */
export type RunningApi = {
  /** Base URL for clients, including the version. */
  readonly apiRoot: string
  readonly healthAddress: string
  /** Reports not ready, lets streams finish, then closes everything. */
  stop(): Promise<void>
}

/** Builds the data plane from its parts and listens. */
export async function serveApi(config: Config, share?: ProcessShare): Promise<RunningApi> {
  const { api } = config
  // First, because an unreadable file must not leave connections open.
  const vocabularies = readVocabularies(config)
  const log: Log = pino({ level: api.log_level, base: null })
  const postgres = openPostgres(config.database_url, { name: 'headrace api' })
  const valkey = openValkey(config.valkey_urls)
  const [limits, refusals] = [createLimits(valkey), openRefusals(valkey)]
  const [usageLog, meter] = [openUsage(config, valkey, log), createMeter()]
  const watch = watchRequests(config, meter, log)
  const tracing = await openTracing(config, usageLog.instance, log)
  const engineUsers = openEngineUsers(valkey, slotServers(config), log)
  const engines = connectEngines(config, share)
  const access = ({ server }: Engine) => engineUsers.accessTo(server)
  const [placements, beat] = sharePlaces(valkey, usageLog.instance, log)
  const fleet = createFleet(engines, access, watch, placements)
  const lastUsed = openLastUsed(postgres.pool)
  const contentLog = openContent(config, postgres, log)
  const bodyBudget = createBodyBudget(api.body_budget_bytes)
  const handle = createHandler(rootPath(config), {
    accounts: createAccounts(config, { postgres, valkey, lastUsed, limits, log }),
    limits,
    catalog: readCatalog(config, vocabularies),
    fleet,
    usageLog: watchSettlements(usageLog, watch.onSettle),
    refusals,
    contentLog,
    callIds: createCallIds(signingSecrets(config)),
    bodyBytesMax: api.body_bytes_max,
    bodyBudget,
    tracing,
  })
  watchApi(meter, { fleet, bodyBudget, contentLog, usageLog, tracing })
  const apiServer = createApiServer({
    handle,
    origins: allowedOrigins(config),
    exposedHeaders: exposedHeaders(api.retention_header),
    connectionsMax: api.connections_max,
    log,
    onEnd: (call, error) => watch.onEnd(call, endOf(call, error)),
  })
  const stopping = new AbortController()
  const watched = { engines: api.probe_engines ? engines : new Map<string, never>(), vocabularies }
  const { capabilities, tokensRead } = watchCapabilities(watched, log, stopping.signal)
  await tokensRead
  const ready = async () => ({ serving: !stopping.signal.aborted, valkey: await valkey.isReady() })
  const health = createProcessHealth('api', config, {
    meter,
    ready,
    engines: () => ({ engines: Object.fromEntries(capabilities), states: fleet.states() }),
  })
  await engineUsers.join()
  fleet.watchCaches(log, stopping.signal)
  const address = await listen(apiServer.server, api.port, api.host, api.reuse_port)
  const healthAddress = await listen(health, api.health_port, api.host)
  logAddresses(log, address, healthAddress)
  return {
    apiRoot: `http://${address}${rootPath(config)}`,
    healthAddress: `http://${healthAddress}`,
    async stop() {
      stopping.abort()
      await drain(apiServer, drainTimes(api))
      closeNow(health)
      const written = [beat, engineUsers, limits, usageLog, refusals, lastUsed, contentLog]
      for (const writer of [...written, tracing?.spans]) await writer?.[Symbol.asyncDispose]()
      await Promise.all([valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
      fleet.close()
    },
  }
}

/** Where conversations are, shared with the other processes. */
function sharePlaces(valkey: Valkey, process: string, log: Log): [Placements, Beat] {
  const placements = createPlacements()
  const parts = { placements: sharePlacements(placements) }
  const beat = startBeat(openBeatExchange(valkey), process, parts, log)
  placements.onUrgent = () => beat.soon()
  return [placements, beat]
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

function drainTimes({ linger_seconds: linger, drain_seconds: grace }: Config['api']) {
  return { lingerMs: linger * 1000, graceMs: grace * 1000 }
}

function openUsage({ usage, valkey_urls: urls }: Config, valkey: Valkey, log: Log) {
  const { acknowledged_replicas: replicas, acknowledged_aof: aof } = usage
  return openUsageLog(valkey, { log, acknowledgement: { replicas, aof, urls } })
}

/** Without an encryption key no content is retained. */
function openContent(config: Config, { pool }: Postgres, log: Log): ContentLog | undefined {
  if (config.content_key === undefined) return undefined
  const masterKeys = readMasterKeys(config.content_key, config.accepted_content_keys)
  return openContentLog(pool, { masterKeys, bytesMax: config.retention.queue_bytes_max, log })
}

/** The current key, if there is one, then those that are accepted besides. */
function signingSecrets({ signing_key: current, accepted_signing_keys: accepted }: Config) {
  return current === undefined ? [] : [current, ...accepted]
}

/** A server of Valkey that was lost may have taken versions with it. */
function openIdentities({ pool }: Postgres, valkey: Valkey): IdentityCache {
  const identities = createIdentityCache(pool)
  valkey.onLoss(() => identities.refreshSoon())
  return identities
}

type AccountParts = {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly lastUsed: LastUsed
  readonly limits: Limits
  readonly log: Log
}

function createAccounts(config: Config, parts: AccountParts): Accounts {
  const { postgres, valkey, lastUsed, limits, log } = parts
  const identities = openIdentities(postgres, valkey)
  const plans = readPlans(config.plans, config.models)
  const keepsContent = config.content_key !== undefined
  const realm = playgroundRealm(config.api)
  const signingKeys = signingSecrets(config).map((secret) => createSigningKey(secret))
  return {
    retentionHeader: config.api.retention_header,
    keepsContent,
    read: (token) => readCredential(token, realm, signingKeys, Date.now()),
    find: (credential, bypassCache) => identities.find(credential, bypassCache),
    findNewerVersion: (ask) => limits.findNewerVersion(ask),
    restoreVersion: createVersionRepair(postgres.database, log),
    check(identity, operation) {
      const nowMs = Date.now()
      const caller = checkStanding(identity, { plans, keepsContent }, nowMs)
      if (identity !== undefined && operation === 'chat completion') checkBilling(identity)
      if (caller.credentialKind === 'api_key') lastUsed.note(caller.credentialId, nowMs)
      return caller
    },
  }
}
