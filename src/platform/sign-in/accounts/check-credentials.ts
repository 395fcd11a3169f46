import { ApiError } from '../../../contract/error.ts'
import type { Settings } from '../../use-case/environment.ts'
import { findPasswordFault } from '../identity/password-rules.ts'
import { isAddress } from '../../mail/address.ts'

const SERVICE_NAMES = ['headrace']

export function checkEmail(email: string): void {
  if (!isAddress(email))
    throw new ApiError('invalid_value', "'email' must be one email address.", { param: 'email' })
}

export function checkNewPassword(
  { console: { public_url: publicUrl } }: Pick<Settings, 'console'>,
  email: string,
  password: string,
): void {
  const operator = [...SERVICE_NAMES, new URL(publicUrl).hostname]
  const fault = findPasswordFault(password, { email, operator })
  if (fault !== null) throw new ApiError('invalid_value', fault, { param: 'password' })
}

export function linkInvalid(): ApiError {
  return new ApiError('invalid_value', 'This link was used before, or has expired.', {
    param: 'token',
  })
}
