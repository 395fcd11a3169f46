import { ApiError } from '../../../contract/error.ts'
import type { LoginSubject } from '../../../store/sign-in/login-limits.ts'
import type { Environment } from '../../use-case/environment.ts'
import type { Origin } from '../sessions/prove-password.ts'

/**
 * Counts an email that a stranger asks for by the network, before anything is done for it. The
 * answer depends on the network only, so that it tells nothing about the address.
 */
export async function countAskedEmail(
  environment: Pick<Environment, 'loginLimits'>,
  { addressPrefix, behindUnknownProxy }: Origin,
): Promise<void> {
  const kind = behindUnknownProxy ? 'proxy_emails' : 'emails'
  const message = 'Too many emails were asked for from your network. Retry later.'
  await count(environment, { kind, prefix: addressPrefix }, message)
}

/** Counts the email of an invitation by its organization, and by its recipient in all of them. */
export async function countInvitation(
  environment: Pick<Environment, 'loginLimits' | 'mailer'>,
  email: string,
  organizationId: string,
): Promise<void> {
  if (!environment.mailer.configured) return
  const sent = 'Your organization has sent too many invitations today. Retry tomorrow.'
  await count(environment, { kind: 'inviting', id: organizationId }, sent)
  const received = 'This address has been sent too many invitations today. Retry tomorrow.'
  await count(environment, { kind: 'invited', email }, received)
}

/** Counts the email of an invitation that is sent again. */
export async function countResend(
  environment: Pick<Environment, 'loginLimits' | 'mailer'>,
  invitationId: string,
): Promise<void> {
  if (!environment.mailer.configured) return
  const message = 'This invitation was sent again three times today. Retry tomorrow.'
  await count(environment, { kind: 'resent', id: invitationId }, message)
}

/** Counts the email to a new address by that address, from all accounts that want it. */
export async function countNewAddress(
  environment: Pick<Environment, 'loginLimits'>,
  email: string,
): Promise<void> {
  const message = 'This address has been sent too many emails. Retry in an hour.'
  await count(environment, { kind: 'new_address', email }, message)
}

async function count(
  { loginLimits }: Pick<Environment, 'loginLimits'>,
  subject: LoginSubject,
  message: string,
): Promise<void> {
  const { waitMs } = await loginLimits.attempt(subject)
  if (waitMs === 0) return
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) }
  throw new ApiError('too_many_attempts', message, { headers })
}
