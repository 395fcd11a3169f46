import type { Funds } from './funds.ts'
import type { KeyLimits } from './key-limits.ts'
import type { OpenedRecord } from './usage-record.ts'

/** A larger limit could not be counted exactly in 1/60,000 of a token. */
export const LIMIT_MAX = 10_000_000_000

/** Request limits apply to every operation, token limits to chat completions only. */
export type RateLimits = {
  readonly requestsPerMinute: number
  readonly requestsPerDay: number
  readonly tokensPerMinute: number
  readonly tokensPerDay: number
}

export type Dimension = keyof RateLimits

/** How many requests may run at once; null means any number. */
export type ConcurrencyLimits = {
  /** Of the organization. */
  readonly organization: number | null
  /** Of each of its credentials. */
  readonly key: number | null
  /** Of the organization, by model id. */
  readonly models: ReadonlyMap<string, number>
}

export type ConcurrencyLimit = 'organization' | 'key' | 'model'

/** The state of one dimension, as in the rate-limit headers. */
export type Capacity = {
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
}

export type Capacities = Readonly<Record<Dimension, Capacity>>

/** The arguments of one admission. */
export type LimitsAsk = {
  readonly organizationId: string
  /** The organization's version when the caller was read. */
  readonly version: number
  /** Whether the caller was read just now instead of from the cache. */
  readonly fresh: boolean
  readonly limits: RateLimits
  /** One object for all callers of a plan: requests with different ones share no call. */
  readonly concurrency: ConcurrencyLimits
  /** Estimated input tokens; 0 if only requests count. */
  readonly tokens: number
  readonly projectId: string
  readonly funds: Funds
  /** Of the API key; null if it has none. */
  readonly key: KeyLimits | null
  /** The usage record that the admission opens; null if the operation uses no tokens. */
  readonly record: OpenedRecord | null
}

/** Asks whether a caller that is not admitted was read before a change of its organization. */
export type VersionAsk = Pick<LimitsAsk, 'organizationId' | 'version' | 'fresh'>

/** What an organization has used of the requested model; 0 if that is not served. */
export type ModelShare = {
  /** The virtual time of the organization for the model: see `virtualTimeCost`. */
  readonly virtualTime: number
  /** Its requests that are running or waiting for a slot in all processes, with this one. */
  readonly running: number
}

export type LimitsDecision =
  | ({ readonly kind: 'admitted'; readonly capacities: Capacities } & ModelShare)
  | {
      readonly kind: 'refused'
      readonly capacities: Capacities
      /** Of the organization's limits. */
      readonly violated: readonly Dimension[]
      /** Whether the key's own limit is reached. */
      readonly ofKey: boolean
      /** The limits of requests that run at once. */
      readonly concurrent: readonly ConcurrencyLimit[]
      readonly retryAfterMs: number
      /** The request alone exceeds a limit, so retrying cannot help. */
      readonly never: boolean
    }
  /** The balance or spending limit does not cover the worst-case cost. */
  | { readonly kind: 'unfunded'; readonly of: 'organization' | 'project' | 'key' }
  /** The key has expired by the clock of the limits. */
  | { readonly kind: 'expired' }
  /** The organization changed since the caller was read; its newest known version, 0 if unknown. */
  | { readonly kind: 'stale'; readonly version: number }

/** The limits could not be checked within the time that a request may wait. */
export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable'
  /** Whether the call was sent and only the reply is missing: the request may count as admitted. */
  readonly asked: boolean

  constructor(message: string, options: ErrorOptions & { readonly asked?: boolean } = {}) {
    super(message, options)
    this.asked = options.asked ?? false
  }
}
