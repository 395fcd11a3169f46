import { pino } from 'pino'
import type { Config } from '../config/load.ts'
import type { Engine } from '../engines/adapters/engine.ts'
import { createFleet } from '../engines/fleet/fleet.ts'
import { createHealthServer } from '../http/health.ts'
import { createRequestMetrics } from '../http/request-metrics.ts'
import { createApiServer } from '../http/server.ts'
import { drain } from '../http/shutdown.ts'
import { createCallIds } from '../inference/call-ids.ts'
import { exposedHeaders } from '../inference/headers.ts'
import type { Accounts } from '../inference/identify.ts'
import { createHandler } from '../inference/routes.ts'
import type { Log } from '../lib/log.ts'
import { openContentLog, type ContentLog } from '../store/content/content.ts'
import { readMasterKey } from '../store/content/content-keys.ts'
import { createIdentityCache, type IdentityCache } from '../store/tenants/identity-cache.ts'
import { openLastUsed, type LastUsed } from '../store/tenants/last-used.ts'
import { createLimits } from '../store/limits/limits.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { openUsageLog } from '../store/usage/usage-log.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { readCredential } from '../tenancy/credential.ts'
import { readPlans } from '../tenancy/plan.ts'
import { createSigningKey, playgroundRealm } from '../tenancy/playground-credential.ts'
import { checkBilling, checkStanding } from '../tenancy/standing.ts'
import { connectEngines } from './connect-engines.ts'
import { listen } from './listen.ts'
import { readCatalog } from './read-catalog.ts'
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
  const log: Log = pino({ level: api.log_level, base: null })
  const postgres = openPostgres(config.database_url)
  const valkey = openValkey(config.valkey_urls)
  const limits = createLimits(valkey)
  const usageLog = openUsage(config, valkey, log)
  const fleet = createFleet(connectEngines(config))
  const lastUsed = openLastUsed(postgres.pool)
  const contentLog = openContent(config, postgres, log)
  const path = `/${api.path_segment}/v1`
  const handle = createHandler(path, {
    accounts: createAccounts(config, createIdentityCache(postgres.pool), lastUsed),
    limits,
    catalog: readCatalog(config),
    fleet,
    usageLog,
    contentLog,
    callIds: createCallIds(config.signing_key),
    bodyBytesMax: api.body_bytes_max,
  })
  const metrics = createRequestMetrics()
  metrics.watch('headrace_slots_in_use', 'Running generations.', () => fleet.slotsInUse())
  metrics.watch(
    'headrace_content_dropped_records',
    'Content records dropped instead of stored, since the start.',
    () => contentLog?.counts().dropped ?? 0,
  )
  const apiServer = createApiServer({
    handle,
    origins: api.cors_origins.includes('*') ? 'all' : new Set(api.cors_origins),
    exposedHeaders: exposedHeaders(api.retention_header),
    connectionsMax: api.connections_max,
    log,
    onEnd: (response) => metrics.count(response),
  })
  const stopping = new AbortController()
  const probed = api.probe_engines ? fleet.engines : new Set<Engine>()
  const capabilities = watchCapabilities(probed, log, stopping.signal)
  const health = createHealthServer(
    async () => ({ serving: !stopping.signal.aborted, valkey: await valkey.isReady() }),
    () => ({ engines: Object.fromEntries(capabilities) }),
    metrics.page,
  )
  const address = await listen(apiServer.server, api.port, api.host, api.reuse_port)
  const healthAddress = await listen(health, api.health_port, api.host)
  log.info({ address }, 'listening')
  log.info({ address: healthAddress }, 'listening for health checks')
  return {
    apiRoot: `http://${address}${path}`,
    healthAddress: `http://${healthAddress}`,
    async stop() {
      stopping.abort()
      const lingerMs = api.linger_seconds * 1000
      await drain(apiServer, { lingerMs, graceMs: api.drain_seconds * 1000 })
      health.closeAllConnections()
      health.close()
      for (const writer of [limits, usageLog, lastUsed, contentLog])
        await writer?.[Symbol.asyncDispose]()
      await Promise.all([valkey, postgres].map((store) => store[Symbol.asyncDispose]()))
      fleet.close()
    },
  }
}

function openUsage({ usage, valkey_urls: urls }: Config, valkey: Valkey, log: Log) {
  const { acknowledged_replicas: replicas, acknowledged_aof: aof } = usage
  return openUsageLog(valkey, { log, acknowledgement: { replicas, aof, urls } })
}

/** Without an encryption key no content is retained. */
function openContent(config: Config, { pool }: Postgres, log: Log): ContentLog | undefined {
  if (config.content_key === undefined) return undefined
  const masterKey = readMasterKey(config.content_key)
  return openContentLog(pool, { masterKey, bytesMax: config.retention.queue_bytes_max, log })
}

function createAccounts(config: Config, identities: IdentityCache, lastUsed: LastUsed): Accounts {
  const plans = readPlans(config.plans, config.models)
  const keepsContent = config.content_key !== undefined
  const realm = playgroundRealm(config.api)
  const signingKeys = config.signing_key === undefined ? [] : [createSigningKey(config.signing_key)]
  return {
    retentionHeader: config.api.retention_header,
    keepsContent,
    read: (token) => readCredential(token, realm, signingKeys, Date.now()),
    find: (credential, bypassCache) => identities.find(credential, bypassCache),
    check(identity, operation) {
      const nowMs = Date.now()
      const caller = checkStanding(identity, { plans, keepsContent }, nowMs)
      if (identity !== undefined && operation === 'chat completion') checkBilling(identity)
      if (caller.credentialKind === 'api_key') lastUsed.note(caller.credentialId, nowMs)
      return caller
    },
  }
}
