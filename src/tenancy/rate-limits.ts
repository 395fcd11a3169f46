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

/** What one request asks of its organization's limits. */
export type LimitsAsk = {
  readonly organizationId: string
  /** The organization's version that the caller was judged at. */
  readonly version: number
  /** Whether the caller was read from the accounts just now, and not remembered. */
  readonly fresh: boolean
  readonly limits: RateLimits
  /** Input tokens, estimated; 0 where only requests count. */
  readonly tokens: number
  /** The opened usage record, as it will stand in the usage log. */
  readonly record: string
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
  /** Something about the organization changed since the caller was read. */
  | { readonly kind: 'stale' }

/** The limits cannot be asked at the moment, and were waited for. */
export class LimitsUnavailable extends Error {
  override readonly name = 'LimitsUnavailable'
}
