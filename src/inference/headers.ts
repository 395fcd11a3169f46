import type { Capacities, Dimension } from '../tenancy/rate-limits.ts'
import type { ValidRequest } from './validate.ts'

type HeaderNames = {
  readonly dimension: Dimension
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

function headerNames(dimension: Dimension, name: string): HeaderNames {
  return {
    dimension,
    limit: `x-ratelimit-limit-${name}`,
    remaining: `x-ratelimit-remaining-${name}`,
    reset: `x-ratelimit-reset-${name}`,
  }
}

const REQUEST_HEADERS = [
  headerNames('requestsPerMinute', 'requests'),
  headerNames('requestsPerDay', 'requests-day'),
]

const ALL_HEADERS = [
  ...REQUEST_HEADERS,
  headerNames('tokensPerMinute', 'tokens'),
  headerNames('tokensPerDay', 'tokens-day'),
]

export type Headers = Readonly<Record<string, string>>

/** The organization's capacity as of this request's admission. */
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

/** `retry-after` is in whole seconds; clients that know `retry-after-ms` get the exact delay. */
export function retryHeaders(retryAfterMs: number, worthwhile: boolean): Headers {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return {
    'retry-after': String(seconds),
    ...(worthwhile
      ? { 'retry-after-ms': String(Math.max(1, Math.ceil(retryAfterMs))) }
      : // SDKs retry every 429 automatically, some after hours, unless this header stops them.
        { 'x-should-retry': 'false' }),
  }
}

const IGNORED = 'x-ignored-parameters'

/** Names what the request has and what nothing is done with, in a fixed order. */
export function ignoredHeaders({ request, stopStrings, ignored }: ValidRequest): Headers {
  const ignoresStop = (request.stop ?? null) !== null && stopStrings === undefined
  const names = ignoresStop ? ['stop', ...ignored] : ignored
  return names.length === 0 ? {} : { [IGNORED]: names.join(', ') }
}

/** Headers that a page in a browser may read. */
export function exposedHeaders(retentionHeader: string): string {
  const capacity = ALL_HEADERS.flatMap(({ limit, remaining, reset }) => [limit, remaining, reset])
  const others = [IGNORED, 'retry-after', 'retry-after-ms', 'x-should-retry']
  return ['x-request-id', 'x-server-request-id', retentionHeader, ...capacity, ...others].join(', ')
}
