import type { Funds } from './funds.ts'
import type { OpenedRecord } from './usage-record.ts'

/** A larger limit could not be counted exactly in 1/60,000 of a token. */
export const LIMIT_MAX = 10_000_000_000

/** What an organization may use. Requests count on every operation, tokens on chat completions. */
export type RateLimits = {
  readonly requestsPerMinute: number
  readonly requestsPerDay: number
  readonly tokensPerMinute: number
  readonly tokensPerDay: number
}

export type Dimension = keyof RateLimits

/** One dimension as the rate-limit headers report it. */
export type Capacity = {
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
}

export type Capacities = Readonly<Record<Dimension, Capacity>>

/** What one request asks of its organization's limits and funds. */
export type LimitsAsk = {
  readonly organizationId: string
  /** The organization's version that the caller was judged at. */
  readonly version: number
  /** Whether the caller was read from the accounts just now, and not remembered. */
  readonly fresh: boolean
  readonly limits: RateLimits
  /** Input tokens, estimated; 0 where only requests count. */
  readonly tokens: number
  readonly projectId: string
  readonly funds: Funds
  /** The usage record that is opened with the admission; null where nothing can be used. */
  readonly record: OpenedRecord | null
}

export type LimitsDecision =
  | { readonly kind: 'admitted'; readonly capacities: Capacities }
  | {
      readonly kind: 'refused'
      readonly capacities: Capacities
      readonly violated: readonly Dimension[]
      readonly retryAfterMs: number
      /** The request alone costs more than a limit: no waiting can help. */
      readonly never: boolean
    }
  /** The worst case of the request is not covered. */
  | { readonly kind: 'unfunded'; readonly of: 'organization' | 'project' }
  /** Something about the organization changed since the caller was read. */
  | { readonly kind: 'stale' }

/** The limits cannot be asked at the moment, and were waited for. */
export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable'
  /** Whether they were asked and only the answer is missing: the request may count as admitted. */
  readonly asked: boolean

  constructor(message: string, options: ErrorOptions & { readonly asked?: boolean } = {}) {
    super(message, options)
    this.asked = options.asked ?? false
  }
}
