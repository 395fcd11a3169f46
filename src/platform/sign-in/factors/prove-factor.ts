import { ApiError } from '../../../contract/error.ts'
import type { GivenFactor } from '../../../contract/management/factor.ts'
import { findOneTimeFactor, useOneTimeStep } from '../../../store/sign-in/one-time-factors.ts'
import { useRecoveryCode } from '../../../store/sign-in/recovery-codes.ts'
import type { ActingAccount } from '../../../tenancy/actor.ts'
import type { Environment } from '../../use-case/environment.ts'
import { hashRecoveryCode } from '../identity/recovery-codes.ts'
import { findTotpStep } from '../identity/totp.ts'
import { sealerFor } from '../../use-case/sealers.ts'
import { noteRefused } from '../sessions/note-refused.ts'

/**
 * Uses up a code and returns its method. Failures are counted apart from those of passwords: a
 * right password must not allow more guesses. A code stays used, whatever happens afterwards.
 */
export async function proveFactor(
  environment: Environment,
  account: Pick<ActingAccount, 'id' | 'email'>,
  given: GivenFactor,
): Promise<'totp' | 'recovery_code'> {
  if ((given.code === undefined) === (given.recovery_code === undefined))
    throw new ApiError('invalid_value', "Send either 'code' or 'recovery_code'.", { param: 'code' })
  const subject = { kind: 'email', email: `second factor of ${account.id}` } as const
  const { waitMs } = await environment.loginLimits.attempt(subject)
  if (waitMs > 0) throw tooManyAttempts(waitMs)
  const right =
    given.code === undefined
      ? await useGivenRecoveryCode(environment, account.id, given.recovery_code ?? '')
      : await useGivenCode(environment, account.id, given.code)
  if (!right) {
    noteRefused(environment, { account, wrong: 'code', network: null })
    throw new ApiError('invalid_login', 'The code is wrong, or was used before.')
  }
  await environment.loginLimits.forget(subject)
  return given.code === undefined ? 'recovery_code' : 'totp'
}

async function useGivenCode(
  { database, settings }: Environment,
  accountId: string,
  code: string,
): Promise<boolean> {
  const factor = await findOneTimeFactor(database, accountId)
  if (factor?.confirmed !== true) return false
  const { sealed, lastStep } = factor
  const secret = sealerFor(settings, 'one-time factor').open(sealed, accountId)
  const step = findTotpStep(secret, code, Date.now(), lastStep)
  return step !== undefined && useOneTimeStep(database, accountId, sealed, step)
}

async function useGivenRecoveryCode(
  { database }: Environment,
  accountId: string,
  code: string,
): Promise<boolean> {
  const hash = hashRecoveryCode(code)
  return hash !== undefined && useRecoveryCode(database, accountId, hash)
}

function tooManyAttempts(waitMs: number): ApiError {
  return new ApiError('too_many_attempts', 'Too many codes were wrong. Wait before the next one.', {
    headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
  })
}
