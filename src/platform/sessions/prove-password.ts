import { ApiError } from '../../contract/error.ts'
import type { LoginAttempt, LoginSubject } from '../../store/sign-in/login-limits.ts'
import type { Environment } from '../environment.ts'
import { verifyPassword } from '../identity/password.ts'

/** Where an attempt comes from. */
export type Origin = {
  /** Null unless proxies are trusted: only then it is limited. */
  readonly addressPrefix: string | null
  readonly peer: string
}

/** Those who share the queue of passwords fairly. */
export function partiesOf(origin: Origin, email: string): string[] {
  return [origin.addressPrefix ?? origin.peer, email.toLowerCase()]
}

/**
 * Whether the password is right. Limits are asked before anything is read, and the work is the same
 * whatever is stored. Throws `too_many_attempts` or `service_unavailable` before anything is
 * computed.
 */
export async function provePassword(
  environment: Environment,
  origin: Origin,
  email: string,
  password: string,
  readPhc: () => Promise<string | null>,
): Promise<boolean> {
  const attempts = await admitAttempt(environment, subjectsOf(origin, email))
  let right
  try {
    // It is read within the turn, so that guesses do not hold connections to the database.
    right = await environment.passwords.run(partiesOf(origin, email), async () =>
      verifyPassword(password, await readPhc()),
    )
  } catch (error) {
    await undo(attempts)
    throw error
  }
  if (!right) return false
  await undo(attempts)
  await environment.loginLimits.forget({ kind: 'email', email })
  return true
}

function subjectsOf({ addressPrefix }: Origin, email: string): LoginSubject[] {
  const subject: LoginSubject = { kind: 'email', email }
  return addressPrefix === null ? [subject] : [{ kind: 'network', prefix: addressPrefix }, subject]
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
    'Too many attempts failed. Wait, use a passkey, or set a new password by e-mail.',
    { headers: { 'retry-after': String(seconds) } },
  )
}
