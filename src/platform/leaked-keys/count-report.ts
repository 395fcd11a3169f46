import { ApiError } from '../../contract/error.ts'
import type { Environment } from '../use-case/environment.ts'
import type { Origin } from '../sign-in/sessions/prove-password.ts'

/** Counts a secret that a stranger sends by the network, before anything is read for it. */
export async function countReport(
  { loginLimits }: Pick<Environment, 'loginLimits'>,
  { addressPrefix, behindUnknownProxy }: Origin,
): Promise<void> {
  const kind = behindUnknownProxy ? 'proxy_reports' : 'reports'
  const { waitMs } = await loginLimits.attempt({ kind, prefix: addressPrefix })
  if (waitMs === 0) return
  const message = 'Too many secrets were sent from your network. Retry later.'
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) }
  throw new ApiError('too_many_attempts', message, { headers })
}
