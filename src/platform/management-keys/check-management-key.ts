import { ApiError } from '../../contract/error.ts'
import { DAY_MS } from '../../lib/time.ts'
import { readFutureTime } from '../use-case/times.ts'

const DAYS_MAX = 365

/** A key may do no more than its creator, and scopes are named once. */
export function checkScopes(scopes: readonly string[], allowed: readonly string[]): string[] {
  const wrong = scopes.findIndex((scope) => !allowed.includes(scope))
  if (wrong === -1) return [...new Set(scopes)]
  const param = `scopes[${wrong}]`
  throw new ApiError('invalid_value', `'${param}' must be one of: ${allowed.join(', ')}.`, {
    param,
  })
}

export function readExpiry(text: string): Date {
  const expiresAt = readFutureTime(text, 'expires_at')
  if (expiresAt.getTime() <= Date.now() + DAYS_MAX * DAY_MS) return expiresAt
  throw new ApiError('invalid_value', `'expires_at' must be at most ${DAYS_MAX} days from now.`, {
    param: 'expires_at',
  })
}
