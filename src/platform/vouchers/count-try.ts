import { ApiError } from '../../contract/error.ts'
import type { LoginAttempt } from '../../store/sign-in/login-limits.ts'
import type { Environment } from '../use-case/environment.ts'

/** A code that is tried counts as wrong until it proves right. */
export type VoucherTry = { readonly undo: () => Promise<void> }

/**
 * Counts a code that is tried for the account and for the organization, so that neither many
 * accounts nor many organizations help to guess. Throws `too_many_attempts`.
 */
export async function countTry(
  { loginLimits }: Pick<Environment, 'loginLimits'>,
  ids: readonly string[],
): Promise<VoucherTry> {
  const counted: LoginAttempt[] = []
  const undo = async () => {
    for (const attempt of counted) await attempt.undo()
  }
  for (const id of ids) {
    const attempt = await loginLimits.attempt({ kind: 'voucher', id })
    if (attempt.waitMs > 0) {
      await undo()
      throw tooMany(attempt.waitMs)
    }
    counted.push(attempt)
  }
  return { undo }
}

function tooMany(waitMs: number): ApiError {
  const message = 'Too many codes of vouchers were wrong. Retry in an hour.'
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) }
  return new ApiError('too_many_attempts', message, { headers })
}
