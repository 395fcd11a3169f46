import type { LiveLimits } from '../../api/routes.ts'

const SHORT = {
  requests_per_minute: 'requests',
  requests_per_day: 'requests-day',
  tokens_per_minute: 'tokens',
  tokens_per_day: 'tokens-day',
} as const

type Limit = keyof typeof SHORT

/** The twelve headers as a request would get them now. */
export function rateLimitHeaders(limits: LiveLimits): string[] {
  return (Object.keys(SHORT) as Limit[]).flatMap((name) => {
    const { limit, remaining, reset_ms: resetMs } = limits[name]
    return [
      `x-ratelimit-limit-${SHORT[name]}: ${limit}`,
      `x-ratelimit-remaining-${SHORT[name]}: ${remaining}`,
      `x-ratelimit-reset-${SHORT[name]}: ${resetMs / 1000}s`,
    ]
  })
}

/** What a program gets that asks for the tokens of a whole minute. */
export function tooManyRequests(limits: LiveLimits): string {
  const { limit, reset_ms: resetMs } = limits.tokens_per_minute
  const waitMs = Math.max(1, Math.ceil(resetMs))
  const seconds = Math.ceil(waitMs / 1000)
  const message =
    `Your organization reached its rate limit of ${limit} tokens per minute. ` +
    `Try again in ${seconds} s.`
  return answer(
    'HTTP/1.1 429 Too Many Requests',
    [`retry-after: ${seconds}`, `retry-after-ms: ${waitMs}`, ...rateLimitHeaders(limits)],
    { message, type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
  )
}

/** Without rate-limit headers: funds are checked before limits. */
export function paymentRequired(): string {
  const message = "The organization's balance does not cover this request. Add funds."
  return answer('HTTP/1.1 402 Payment Required', ['x-should-retry: false'], {
    message,
    type: 'billing_error',
    param: null,
    code: 'insufficient_balance',
  })
}

function answer(status: string, headers: readonly string[], error: object): string {
  return [status, ...headers, '', JSON.stringify({ error }, null, 2)].join('\n')
}
