import type { Capacities, Dimension } from '../tenancy/rate-limits.ts'

type Reported = {
  readonly dimension: Dimension
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

function reported(dimension: Dimension, name: string): Reported {
  return {
    dimension,
    limit: `x-ratelimit-limit-${name}`,
    remaining: `x-ratelimit-remaining-${name}`,
    reset: `x-ratelimit-reset-${name}`,
  }
}

const REQUEST_HEADERS = [
  reported('requestsPerMinute', 'requests'),
  reported('requestsPerDay', 'requests-day'),
]

const ALL_HEADERS = [
  ...REQUEST_HEADERS,
  reported('tokensPerMinute', 'tokens'),
  reported('tokensPerDay', 'tokens-day'),
]

export type Headers = Readonly<Record<string, string>>

/** The organization's capacity, as it was when this request was decided on. */
export function capacityHeaders(capacities: Capacities, withTokens: boolean): Headers {
  const headers: Record<string, string> = {}
  for (const names of withTokens ? ALL_HEADERS : REQUEST_HEADERS) {
    const { limit, remaining, resetMs } = capacities[names.dimension]
    headers[names.limit] = String(limit)
    headers[names.remaining] = String(remaining)
    headers[names.reset] = `${resetMs / 1000}s`
  }
  return headers
}

/** Whole seconds for everyone, and the exact delay for clients that know the second header. */
export function retryHeaders(retryAfterMs: number, worthwhile: boolean): Headers {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return {
    'retry-after': String(seconds),
    ...(worthwhile
      ? { 'retry-after-ms': String(Math.max(1, Math.ceil(retryAfterMs))) }
      : // SDKs retry every 429 by themselves, some after hours; this stops them.
        { 'x-should-retry': 'false' }),
  }
}

/** Headers that a page in a browser may read. */
export function exposedHeaders(retentionHeader: string): string {
  const capacity = ALL_HEADERS.flatMap(({ limit, remaining, reset }) => [limit, remaining, reset])
  const others = ['retry-after', 'retry-after-ms', 'x-should-retry']
  return ['x-request-id', 'x-server-request-id', retentionHeader, ...capacity, ...others].join(', ')
}
