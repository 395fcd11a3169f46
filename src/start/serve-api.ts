import { pino } from 'pino'
import type { Config } from '../config/load.ts'
import { createFleet, type Fleet } from '../engines/fleet/fleet.ts'
import { createBodyBudget, type BodyBudget } from '../http/body-budget.ts'
import type { AllowedOrigins } from '../http/cors.ts'
import { createHealthServer } from '../http/health.ts'
import { createRequestMetrics, type RequestMetrics } from '../http/request-metrics.ts'
import { createApiServer } from '../http/server.ts'
import { drain } from '../http/shutdown.ts'
import { createCallIds } from '../inference/call-ids.ts'
import { exposedHeaders } from '../inference/headers.ts'
import type { Accounts } from '../inference/identify.ts'
import { createHandler } from '../inference/routes.ts'
import type { Log } from '../lib/log.ts'
import { openContentLog, type ContentLog } from '../store/content/content.ts'
import { readMasterKeys } from '../store/content/content-keys.ts'
import { createIdentityCache, type IdentityCache } from '../store/tenants/identity-cache.ts'
import { openLastUsed, type LastUsed } from '../store/tenants/last-used.ts'
import { createLimits, type Limits } from '../store/limits/limits.ts'
import { createVersionRepair } from '../store/tenants/versions.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openRefusals } from '../store/usage/refusals.ts'
import { openUsageLog, type UsageLog } from '../store/usage/usage-log.ts'
import { openEngineUsers } from '../store/valkey/engine-users.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { readCredential } from '../tenancy/credential.ts'
import { readPlans } from '../tenancy/plan.ts'
import { createSigningKey, playgroundRealm } from '../tenancy/playground-credential.ts'
import { checkBilling, checkStanding } from '../tenancy/standing.ts'
import { connectEngines, slotServers } from './connect-engines.ts'
import { listen } from './listen.ts'
import { processStatus } from './process-status.ts'
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
export async function serveApi(config: Config): Promise<RunningApi> {
  const { api } = config
  // First, because an unreadable file must not leave connections open.
  const vocabularies = readVocabularies(config)
  const log: Log = pino({ level: api.log_level, base: null })
  const postgres = openPostgres(config.database_url, { name: 'headrace api' })
  const valkey = openValkey(config.valkey_urls)
  const [limits, refusals] = [createLimits(valkey), openRefusals(valkey)]
  const usageLog = openUsage(config, valkey, log)
  const engineUsers = openEngineUsers(valkey, slotServers(config), log)
  const engines = connectEngines(config)
  const fleet = createFleet(engines, ({ server }) => engineUsers.accessTo(server))
  const lastUsed = openLastUsed(postgres.pool)
  const contentLog = openContent(config, postgres, log)
  const path = `/${api.path_segment}/v1`
  const bodyBudget = createBodyBudget(api.body_budget_bytes)
  const handle = createHandler(path, {
    accounts: {
      ...createAccounts(config, openIdentities(postgres, valkey), lastUsed, limits),
      restoreVersion: createVersionRepair(postgres.database, log),
    },
    limits,
    catalog: readCatalog(config, vocabularies),
    fleet,
    usageLog,
    refusals,
    contentLog,
    callIds: createCallIds(signingSecrets(config)),
    bodyBytesMax: api.body_bytes_max,
    bodyBudget,
  })
  const metrics = createMetrics({ fleet, bodyBudget, contentLog, usageLog })
  const apiServer = createApiServer({
    handle,
    origins: allowedOrigins(config),
    exposedHeaders: exposedHeaders(api.retention_header),
    connectionsMax: api.connections_max,
    log,
    onEnd: (response) => metrics.count(response),
  })
  const stopping = new AbortController()
  const watched = { engines: api.probe_engines ? engines : new Map<string, never>(), vocabularies }
  const { capabilities, tokensRead } = watchCapabilities(watched, log, stopping.signal)
  await tokensRead
  const health = createHealthServer(
    async () => ({ serving: !stopping.signal.aborted, valkey: await valkey.isReady() }),
    () => ({ engines: Object.fromEntries(capabilities), states: fleet.states() }),
    metrics.page,
    processStatus('api', config),
  )
  await engineUsers.join()
  fleet.watchCaches(log, stopping.signal)
  const address = await listen(apiServer.server, api.port, api.host, api.reuse_port)
  const healthAddress = await listen(health, api.health_port, api.host)
  logAddresses(log, address, healthAddress)
  return {
    apiRoot: `http://${address}${path}`,
    healthAddress: `http://${healthAddress}`,
    async stop() {
      stopping.abort()
      await drain(apiServer, drainTimes(api))
      health.closeAllConnections()
      health.close()
      for (const writer of [engineUsers, limits, usageLog, refusals, lastUsed, contentLog])
        await writer?.[Symbol.asyncDispose]()
      await Promise.all([valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
      fleet.close()
    },
  }
}

function logAddresses(log: Log, address: string, healthAddress: string): void {
  log.info({ address }, 'listening')
  log.info({ address: healthAddress }, 'listening for health checks')
}

/** The console's own pages always: its playground calls the API from the browser. */
function allowedOrigins({ api, console: settings }: Config): AllowedOrigins {
  if (api.cors_origins.includes('*')) return 'all'
  return new Set([...api.cors_origins, new URL(settings.public_url).origin])
}

function drainTimes({ linger_seconds: linger, drain_seconds: grace }: Config['api']) {
  return { lingerMs: linger * 1000, graceMs: grace * 1000 }
}

type Counted = {
  readonly bodyBudget: BodyBudget
  readonly fleet: Fleet
  readonly contentLog: ContentLog | undefined
  readonly usageLog: UsageLog
}

function createMetrics(counted: Counted): RequestMetrics {
  const metrics = createRequestMetrics()
  const { fleet, bodyBudget, contentLog, usageLog } = counted
  metrics.watch('headrace_slots_in_use', 'Running generations.', () => fleet.slotsInUse())
  metrics.watch('headrace_engine_ejections', 'Ejections of engines since the start.', () =>
    fleet.ejections(),
  )
  metrics.watch('headrace_prompt_caches_in_use', 'Engines whose cached prompts are reused.', () =>
    fleet.cachesInUse(),
  )
  metrics.watch('headrace_body_bytes', 'Request bodies in memory.', () => bodyBudget.used())
  metrics.watch(
    'headrace_content_dropped_records',
    'Content records dropped instead of stored, since the start.',
    () => contentLog?.counts().dropped ?? 0,
  )
  metrics.watch(
    'headrace_usage_unacknowledged_records',
    'Usage records that were written, but not acknowledged in time, since the start.',
    () => usageLog.unacknowledged(),
  )
  return metrics
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

function createAccounts(
  config: Config,
  identities: IdentityCache,
  lastUsed: LastUsed,
  limits: Limits,
): Omit<Accounts, 'restoreVersion'> {
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
    check(identity, operation) {
      const nowMs = Date.now()
      const caller = checkStanding(identity, { plans, keepsContent }, nowMs)
      if (identity !== undefined && operation === 'chat completion') checkBilling(identity)
      if (caller.credentialKind === 'api_key') lastUsed.note(caller.credentialId, nowMs)
      return caller
    },
  }
}
