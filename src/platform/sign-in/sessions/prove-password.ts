import { ApiError } from '../../../contract/error.ts'
import type { LoginAttempt, LoginSubject } from '../../../store/sign-in/login-limits.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { PasswordParty } from '../identity/password-queue.ts'
import { verifyPassword } from '../identity/password.ts'
import { normalEmail } from '../../../tenancy/email.ts'
import { findKnownDevice, type DeviceClient } from './known-device.ts'

/** Where an attempt comes from. */
export type Origin = DeviceClient & {
  readonly addressPrefix: string
  readonly behindUnknownProxy: boolean
}

/** Strangers share their lane by network and by the address that they try. */
export function strangerAt(origin: Origin, email: string): PasswordParty {
  return { lane: 'strangers', names: [origin.addressPrefix, normalEmail(email)] }
}

/** By account, because anybody can have many devices of one account. */
export function knownAs(accountId: string): PasswordParty {
  return { lane: 'known', names: [accountId] }
}

/**
 * Whether the password is right. Limits are asked before anything is computed, and the work is the
 * same whatever is stored. Throws `too_many_attempts` or `service_unavailable` before that. A
 * device that the account signed in with before has a limit and a lane of its own, so that no
 * stranger can keep it out.
 */
export async function provePassword(
  environment: Environment,
  origin: Origin,
  email: string,
  password: string,
  readPhc: () => Promise<string | null>,
): Promise<boolean> {
  const device = await findKnownDevice(environment, email, origin)
  const own: LoginSubject =
    device === undefined ? { kind: 'email', email } : { kind: 'device', id: device.id }
  const shared = device === undefined ? [networkOf(origin)] : []
  const attempts = await admitAttempt(environment, [...shared, own])
  const party = device === undefined ? strangerAt(origin, email) : knownAs(device.accountId)
  let right
  try {
    // It is read within the turn, so that guesses do not hold connections to the database.
    right = await environment.passwords.run(party, async () =>
      verifyPassword(password, await readPhc()),
    )
  } catch (error) {
    await undo(attempts)
    throw error
  }
  if (!right) return false
  await undo(attempts)
  await environment.loginLimits.forget(own)
  return true
}

function networkOf({ addressPrefix, behindUnknownProxy }: Origin): LoginSubject {
  return { kind: behindUnknownProxy ? 'proxy' : 'network', prefix: addressPrefix }
}

async function admitAttempt(
  { loginLimits }: Environment,
  subjects: readonly LoginSubject[],
): Promise<LoginAttempt[]> {
  const attempts: LoginAttempt[] = []
  for (const subject of subjects) {
    const attempt = await loginLimits.attempt(subject)
    if (attempt.waitMs > 0) {
      await undo(attempts)
      throw tooManyAttempts(attempt.waitMs)
    }
    attempts.push(attempt)
  }
  return attempts
}

async function undo(attempts: readonly LoginAttempt[]): Promise<void> {
  for (const attempt of attempts) await attempt.undo()
}

function tooManyAttempts(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1_000)
  return new ApiError(
    'too_many_attempts',
    'Too many attempts failed. Wait, use a passkey, or set a new password by email.',
    { headers: { 'retry-after': String(seconds) } },
  )
}
