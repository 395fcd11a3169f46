import type { Kysely } from 'kysely'
import type { ProcessStatus } from '../../contract/management/operator-system.ts'
import type { Log } from '../../lib/log.ts'
import type { EnginesOfModels } from '../../store/fleet/model-engines.ts'
import type { PaymentProvider } from '../../payments/provider.ts'
import type { LoginLimits } from '../../store/sign-in/login-limits.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { RaisedVersion } from '../../store/tenants/versions.ts'
import type { Valkey } from '../../store/valkey/valkey.ts'
import type { PlanSettings } from '../../tenancy/plan.ts'
import type { PriceSettings } from '../../tenancy/price.ts'
import type { PaymentMetrics } from '../payments/watch/payment-metrics.ts'
import type { PasswordQueue } from '../sign-in/identity/password-queue.ts'
import type { Mailer } from '../mail/mailer.ts'

/** The part of the configuration that use cases need, as it is in the file. */
export type Settings = {
  readonly api: {
    readonly key_prefix: string
    readonly path_segment: string
    readonly fleet: string
  }
  readonly console: ConsoleSettings
  readonly plans: Readonly<Record<string, PlanSettings>>
  readonly default_plan: string
  readonly engines: readonly { readonly name: string }[]
  readonly models: readonly {
    readonly id: string
    readonly owned_by: string
    readonly shutdown_date: string | null
    readonly context_length?: number | undefined
    readonly max_output_tokens?: number | undefined
    readonly default_parameters?: { readonly max_tokens?: number | undefined } | undefined
    readonly reasoning?: { readonly supported_efforts: readonly string[] } | undefined
    readonly price?: PriceSettings | undefined
  }[]
  readonly retention: RetentionSettings
  /** Without it no content is kept. */
  readonly content_key?: string | undefined
  readonly currency: string
  /** Without them there are no payments. */
  readonly payments?: PaymentSettings | undefined
  readonly tracing: { readonly link?: string | undefined }
  readonly signing_key?: string | undefined
  readonly accepted_signing_keys: readonly string[]
}

export type PaymentSettings = {
  /** In units of the currency. */
  readonly top_up_min: number
  readonly top_up_max: number
  readonly automatic_per_day: number
  readonly overdue_stop_days: number
  readonly tax: 'none' | 'provider'
  readonly page_hosts: readonly string[]
}

export type RetentionSettings = {
  readonly standard_days: number
  readonly contributor_days: number
  readonly contributor_terms?: { readonly version: string; readonly url: string } | undefined
}

export type ConsoleSettings = {
  readonly public_url: string
  readonly api_url?: string | undefined
  readonly funding_help?: string | undefined
  readonly sign_up: 'closed' | 'waiting' | 'open'
  readonly sign_up_domains: readonly string[]
  readonly require_second_factor: 'none' | 'operators' | 'all'
  readonly trusted_proxies: number
  readonly session_hours: number
  readonly terms?: { readonly version: string; readonly url: string } | undefined
  readonly private_issuer_hosts: readonly string[]
  readonly private_webhook_hosts: readonly string[]
  readonly dns_servers: readonly string[]
  readonly api_health_urls: readonly string[]
}

/** What use cases work with. */
export type Environment = {
  readonly settings: Settings
  readonly database: Kysely<Tables>
  readonly valkey: Valkey
  readonly log: Log
  readonly passwords: PasswordQueue
  readonly loginLimits: LoginLimits
  readonly mailer: Mailer
  /** Null in a process without its key, and without payments. */
  readonly paymentProvider: PaymentProvider | null
  /** Null where there are no payments, and in commands. */
  readonly paymentMetrics: PaymentMetrics | null
  /** The engines of each model of a fleet; read at most once in 2 s. */
  readModelEngines(this: void, fleet: string): Promise<EnginesOfModels>
  /** A request came through a proxy that the configuration does not name. */
  noteUnknownProxy(): void
  /** Does work after the answer, so that the time of the answer does not tell what there was. */
  later(client: string, work: () => Promise<void>): void
  /** This process, and the configuration in force with secrets masked. */
  readonly self: ProcessStatus
  readonly configuration: object
  /**
   * Makes every server evaluate the callers of these organizations anew, before it returns. Throws
   * if that cannot be confirmed; the change stands, and the worker delivers the versions.
   */
  announce(raised: readonly RaisedVersion[]): Promise<void>
  /** The same for orders to engines: every API process knows them within 250 ms. */
  announceOrders(): Promise<void>
}
