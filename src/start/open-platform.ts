import type { Config } from '../config/load.ts'
import { printableConfig } from '../config/printable.ts'
import type { Log } from '../lib/log.ts'
import type { PaymentProvider } from '../payments/provider.ts'
import type { PaymentMetrics } from '../platform/payments/watch/payment-metrics.ts'
import { announceEngineOrders, announceVersions } from '../platform/use-case/announce.ts'
import type { Environment } from '../platform/use-case/environment.ts'
import { createPasswordQueue } from '../platform/sign-in/identity/password-queue.ts'
import { openLater } from '../platform/use-case/later.ts'
import { createProxyNote } from '../platform/use-case/note-unknown-proxy.ts'
import { openMailer, type Mailer } from '../platform/mail/mailer.ts'
import { findLanguage } from '../store/tenants/accounts.ts'
import { openModelEngines } from '../store/fleet/model-engines.ts'
import { createLoginLimits } from '../store/sign-in/login-limits.ts'
import { rememberUnknownProxy } from '../store/sign-in/unknown-proxy.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../store/valkey/acknowledge.ts'
import { openValkey, type Valkey } from '../store/valkey/valkey.ts'
import { fixedConfiguration, type Configuration } from './configuration.ts'

export type Platform = AsyncDisposable & {
  readonly environment: Environment
  readonly postgres: Postgres
}

type PlatformOptions = {
  readonly connectionsMax?: number
  /** Only console processes have its key. */
  readonly paymentProvider?: PaymentProvider | null
  readonly paymentMetrics?: PaymentMetrics | null
  /** If it can change; default: it does not. */
  readonly configuration?: Configuration
}

/** What use cases work with, for the console and for the command line. */
export function openPlatform(
  config: Config,
  log: Log,
  {
    configuration = fixedConfiguration('console', config),
    paymentProvider = null,
    paymentMetrics = null,
    ...options
  }: PlatformOptions = {},
): Platform {
  const postgres = openPostgres(config.database_url, options)
  const { database } = postgres
  const opened = new Map<number | undefined, Valkey>()
  // When it is first used, because most commands do not need it.
  const valkeyWith = (timeoutMs?: number) => {
    const known = opened.get(timeoutMs)
    if (known !== undefined) return known
    const valkey = openValkey(config.valkey_urls, timeoutMs === undefined ? {} : { timeoutMs })
    opened.set(timeoutMs, valkey)
    return valkey
  }
  const replicasMin = config.usage.acknowledged_replicas
  const mailer = openPlatformMailer(config, database, log)
  const later = openLater(log)
  return {
    postgres,
    environment: {
      get settings() {
        return configuration.current
      },
      database,
      get valkey() {
        return valkeyWith()
      },
      log,
      passwords: createPasswordQueue(),
      loginLimits: createLoginLimits({ call: (...command) => valkeyWith().call(...command) }),
      mailer,
      paymentProvider,
      paymentMetrics,
      readModelEngines: openModelEngines({ call: (...command) => valkeyWith().call(...command) }),
      noteUnknownProxy: createProxyNote(
        () => log.warn({}, 'requests have X-Forwarded-For, but console.trusted_proxies is 0'),
        () => rememberUnknownProxy(valkeyWith(), 'console'),
      ),
      later: (client, work) => later.add(client, work),
      get self() {
        return configuration.status
      },
      get configuration() {
        return printableConfig(configuration.current)
      },
      async announce(raised) {
        if (raised.length === 0) return
        // Waiting for replicas blocks the connection, so it has one of its own.
        const valkey = valkeyWith(ACKNOWLEDGE_TIMEOUT_MS)
        await announceVersions({ database, valkey, replicasMin }, raised)
      },
      announceOrders: () => announceEngineOrders(database, valkeyWith()),
    },
    async [Symbol.asyncDispose]() {
      await later[Symbol.asyncDispose]()
      await mailer[Symbol.asyncDispose]()
      for (const store of [...opened.values(), postgres]) await store[Symbol.asyncDispose]()
    },
  }
}

function openPlatformMailer(
  { smtp_url: smtpUrl, console: { email_from: from, public_url: publicUrl } }: Config,
  database: Postgres['database'],
  log: Log,
): Mailer {
  const languageOf = (address: string) => findLanguage(database, address)
  return openMailer({ smtpUrl, from, publicUrl, languageOf }, log)
}
