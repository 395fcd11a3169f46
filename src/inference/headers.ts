import type { ServerResponse } from 'node:http'
import type { Capacities, Dimension } from '../tenancy/rate-limits.ts'

const REQUEST_HEADERS: readonly (readonly [Dimension, string])[] = [
  ['requestsPerMinute', 'requests'],
  ['requestsPerDay', 'requests-day'],
]

const TOKEN_HEADERS: readonly (readonly [Dimension, string])[] = [
  ['tokensPerMinute', 'tokens'],
  ['tokensPerDay', 'tokens-day'],
]

export type Headers = Readonly<Record<string, string>>

/** The organization's capacity, as it was when this request was decided on. */
export function capacityHeaders(capacities: Capacities, withTokens: boolean): Headers {
  const reported = withTokens ? [...REQUEST_HEADERS, ...TOKEN_HEADERS] : REQUEST_HEADERS
  const headers: Record<string, string> = {}
  for (const [dimension, name] of reported) {
    const { limit, remaining, resetMs } = capacities[dimension]
    headers[`x-ratelimit-limit-${name}`] = String(limit)
    headers[`x-ratelimit-remaining-${name}`] = String(remaining)
    headers[`x-ratelimit-reset-${name}`] = `${resetMs / 1000}s`
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

export function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
}

/** Headers that a page in a browser may read. */
export function exposedHeaders(retentionHeader: string): string {
  const capacity = [...REQUEST_HEADERS, ...TOKEN_HEADERS].flatMap(([, name]) =>
    ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${what}-${name}`),
  )
  const others = ['retry-after', 'retry-after-ms', 'x-should-retry']
  return ['x-request-id', 'x-server-request-id', retentionHeader, ...capacity, ...others].join(', ')
}
