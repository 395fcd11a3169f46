import { fileURLToPath } from 'node:url'
import type { Config } from '../config/load.ts'
import { ERRORS, MANAGEMENT_ERRORS } from '../contract/error.ts'
import { createBodyBudget } from '../http/body-budget.ts'
import { endOf } from '../http/request-end.ts'
import { countRequests } from '../http/request-metrics.ts'
import { createApiServer } from '../http/server.ts'
import { drain } from '../http/shutdown.ts'
import type { Log } from '../lib/log.ts'
import { createMeter } from '../lib/meter.ts'
import { createManagementHandler, ROOT } from '../platform/api/dispatch.ts'
import { ROUTES } from '../platform/api/routes.ts'
import { createPaymentHooks } from '../platform/api/payment-hooks.ts'
import { createScimHandler } from '../platform/api/scim/scim-handler.ts'
import { sendAuditStreams } from '../platform/audit/stream/send-streams.ts'
import { sendDueAlerts } from '../platform/billing/send-alerts.ts'
import type { Environment } from '../platform/use-case/environment.ts'
import { readDueReturned } from '../platform/payments/returned-money/read-due.ts'
import { observeDuePayments, pollEvents } from '../platform/payments/run-jobs.ts'
import { sendEmails } from '../platform/payments/watch/send-emails.ts'
import { checkDueDomains } from '../platform/sign-in/sso/check-domains.ts'
import { createConsoleHandler, prefixOf } from '../platform/web/console-handler.ts'
import { pagePolicy } from '../platform/web/page-policy.ts'
import { DOCS, readDocs } from '../platform/web/read-docs.ts'
import { readWebFiles } from '../platform/web/read-web-files.ts'
import type { Pages } from '../platform/web/send-page.ts'
import { runJobs, type Job } from '../worker/run-jobs.ts'
import { countJobErrors } from '../worker/worker-metrics.ts'
import { CLIENT_CONNECTIONS_MAX } from './client-connections.ts'
import { openConfiguration } from './configuration.ts'
import { listen } from './listen.ts'
import { openLog } from './open-log.ts'
import { openPaymentMetrics } from './payments/open-metrics.ts'
import { openPaymentProvider } from './payments/open-provider.ts'
import { openPlatform } from './open-platform.ts'
import { watchProviderAccount } from './payments/watch-account.ts'
import { watchingJobs } from './payments/watching-jobs.ts'
import { createProcessHealth } from './process-health.ts'

/** All bodies of the management API and of SCIM in memory. */
const BODY_BUDGET_BYTES = 16 * 1024 * 1024

/** Where `npm run build` writes the web app. */
const WEB_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))

const ALERTS_PAUSE_MS = 5_000
/** How late an audit event may be sent if nothing was waiting before it. */
const STREAMS_PAUSE_MS = 1_000
const DOMAINS_PAUSE_MS = 60_000
/** How late a payment is read after a hint. */
const PAYMENTS_PAUSE_MS = 1_000
const POLL_PAUSE_MS = 60_000
const VALKEY_TIMEOUT_MS = 2_000

export type RunningConsole = {
  /** Base URL of the management API. */
  readonly managementRoot: string
  readonly healthAddress: string
  readonly environment: Environment
  reload(load: () => Config): Promise<void>
  stop(): Promise<void>
}

/** Builds the control plane from its parts and listens. */
export async function serveConsole(
  config: Config,
  webFolder: string = WEB_FOLDER,
  log: Log = openLog(config),
): Promise<RunningConsole> {
  // First, because a build that is too large must not leave connections open.
  const pages = readPages(config, webFolder, log)
  const meter = createMeter()
  const configuration = openConfiguration('console', config, { log, meter })
  const paymentMetrics = openPaymentMetrics(config, meter)
  const { environment, postgres, ...platform } = openPlatform(config, log, {
    configuration,
    connectionsMax: config.database.connections,
    paymentMetrics,
    paymentProvider: openPaymentProvider(config, paymentMetrics?.requested),
  })
  const count = countRequests(meter, Object.values({ ...ERRORS, ...MANAGEMENT_ERRORS }))
  const deps = { environment, bodyBudget: createBodyBudget(BODY_BUDGET_BYTES) }
  const server = createApiServer({
    handle: createConsoleHandler({
      ...pages,
      prefix: prefixOf(config.console.public_url),
      management: createManagementHandler(ROUTES, deps),
      scim: createScimHandler(deps),
      hooks: createPaymentHooks(deps),
    }),
    origins: new Set(),
    exposedHeaders: '',
    connectionsMax: CLIENT_CONNECTIONS_MAX,
    log,
    onEnd: (call, error) => count(endOf(call, error)),
  })
  const stopping = new AbortController()
  const ready = async () => ({
    serving: !stopping.signal.aborted,
    valkey: await environment.valkey.isReady(),
    postgres: await postgres.pool.query('select 1').then(
      () => true,
      () => false,
    ),
  })
  const health = createProcessHealth(configuration, { meter, ready })
  // The first request should find it; if Valkey is unavailable, the console works without it.
  await environment.valkey.connected(VALKEY_TIMEOUT_MS).catch(() => {})
  const address = await listen(server.server, config.console.port, config.api.host)
  const healthAddress = await listen(health, config.console.health_port, config.api.host)
  if (environment.paymentProvider !== null) void watchProviderAccount(environment, stopping.signal)
  const tasks = jobsOf(environment)
  const names = tasks.map(({ name }) => name)
  const onError = countJobErrors(meter, names)
  const jobs = runJobs(tasks, stopping.signal, { log, onError })
  log.info({ address }, 'listening')
  log.info({ address: healthAddress }, 'listening for health checks')
  return {
    managementRoot: `http://${address}${ROOT}`,
    healthAddress: `http://${healthAddress}`,
    environment,
    reload: (load) => configuration.reload(load),
    async stop() {
      stopping.abort()
      const { linger_seconds: linger } = config.api
      await drain(server, { lingerMs: linger * 1000, graceMs: 10_000 })
      health.closeAllConnections()
      health.close()
      await jobs
      await platform[Symbol.asyncDispose]()
    },
  }
}

/** Without a build there is still the management API. */
function readPages(config: Config, folder: string, log: Log): Pages {
  const { public_url: publicUrl, api_url: apiUrl, sign_up: signUp, contact = '' } = config.console
  const { docs: place = '', status_url: statusUrl = '' } = config.console
  const prefix = prefixOf(publicUrl)
  const isFolder = place !== '' && !/^https?:/.test(place)
  const docsUrl = isFolder ? `${new URL(publicUrl).origin}${prefix}${DOCS}` : place
  const mail = config.smtp_url !== undefined && config.console.email_from !== undefined
  const help = { contact, docsUrl, statusUrl }
  const payments = config.payments !== undefined
  const facts = { prefix, apiUrl: apiUrl ?? '', signUp, mail, payments, ...help }
  const files = readWebFiles(folder, facts)
  if (files === undefined) log.warn({}, 'web app is not built, serving the management API only')
  const docs = isFolder ? readDocs(place, prefix) : undefined
  return { files, policy: pagePolicy(apiUrl), docs }
}

/** What needs the mail server's address, which only console processes have. */
function jobsOf(environment: Environment): readonly Job<string>[] {
  return [
    {
      name: 'send-alerts',
      pauseMs: ALERTS_PAUSE_MS,
      run: (stopping) => sendDueAlerts(environment, stopping),
    },
    {
      name: 'send-audit-streams',
      pauseMs: STREAMS_PAUSE_MS,
      run: (stopping) => sendAuditStreams(environment, stopping),
    },
    {
      name: 'send-emails',
      pauseMs: ALERTS_PAUSE_MS,
      run: (stopping) => sendEmails(environment, stopping),
    },
    {
      name: 'check-domains',
      pauseMs: DOMAINS_PAUSE_MS,
      run: () => checkDueDomains(environment),
    },
    ...(environment.paymentProvider === null ? [] : paymentJobs(environment)),
  ]
}

/** What needs the key of the payment provider. */
function paymentJobs(environment: Environment): readonly Job<string>[] {
  return [
    {
      name: 'observe-payments',
      pauseMs: PAYMENTS_PAUSE_MS,
      run: () => observeDuePayments(environment),
    },
    {
      name: 'observe-refunds',
      pauseMs: PAYMENTS_PAUSE_MS,
      run: () => readDueReturned(environment),
    },
    { name: 'poll-events', pauseMs: POLL_PAUSE_MS, run: () => pollEvents(environment) },
    ...watchingJobs(environment),
  ]
}
