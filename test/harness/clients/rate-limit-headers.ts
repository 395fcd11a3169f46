export const REQUEST_DIMENSIONS = ['requests', 'requests-day'] as const
export const DIMENSIONS = [...REQUEST_DIMENSIONS, 'tokens', 'tokens-day'] as const

/** The rate-limit headers of these dimensions, in alphabetical order. */
export function rateLimitHeaders(dimensions: readonly string[]): string[] {
  return ['limit', 'remaining', 'reset']
    .flatMap((what) => dimensions.map((dimension) => `x-ratelimit-${what}-${dimension}`))
    .toSorted()
}

export function rateLimitHeadersOf(headers: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(headers)
    .filter((name) => name.startsWith('x-ratelimit-'))
    .toSorted()
}
